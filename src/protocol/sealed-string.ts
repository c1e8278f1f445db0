/**
 * Sealed strings: what mooring hands to a caller for safekeeping and gets back as it was
 * (MRTR-06, MRTR-07). The caller can neither read nor change one, nor use it for anything but
 * what it was made for.
 *
 *   v1.<key id>.<base64url of nonce (12 bytes), ciphertext, tag (16 bytes)>
 *
 * AES-256-GCM. Each purpose has its own key, derived by HKDF-SHA-256 from a master key, so a
 * string of one purpose is noise to another. The principal, the method, its target and a
 * digest of its arguments are authenticated with the content and not part of the string:
 * the caller that opens it states them anew. The end of its life is inside.
 *
 * Whatever is wrong with a string, the answer is the same. Only its canonical spelling opens,
 * so that no character of it can be changed, not even the unused bits of the last one.
 *
 * A seal does not stop a second use: what may happen only once needs a record of its own.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { canonicalJson } from './canonical-json.ts'
import type { JsonObject } from './message.ts'
import type { Principal } from './principal.ts'

export const masterKeyBytes = 32

/** Master keys of `masterKeyBytes` each. The first one seals, every one of them opens. */
export type SealingKeys = readonly [Buffer, ...Buffer[]]

/** What a sealed string belongs to; it opens for nothing else. */
export interface SealedFor {
  readonly principal: Principal
  readonly method: string
  /** The tool or prompt by name, the resource by URI. */
  readonly target: string
  readonly arguments: JsonObject
}

export interface Sealer {
  /** Seals any JSON value. */
  seal (content: unknown, belongsTo: SealedFor): string
  /** @returns undefined when the string is not ours, not unchanged, not for this, or too old */
  open (sealed: string, belongsTo: SealedFor): { readonly content: unknown } | undefined
}

const version = 'v1'
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const defaultLifeMs = 600_000

interface PurposeKey {
  readonly id: string
  readonly secret: Buffer
}

export function createSealer ({ keys, purpose, lifeMs = defaultLifeMs, clock, ids }: {
  readonly keys: SealingKeys
  /** Strings of one purpose never open for another. */
  readonly purpose: string
  /** How long a string can be opened. */
  readonly lifeMs?: number
  readonly clock: Clock
  readonly ids: Pick<Ids, 'bytes'>
}): Sealer {
  const sealing = purposeKey(keys[0], purpose)
  const opening = new Map(keys.map((master) => purposeKey(master, purpose)).map((key) => [key.id, key]))

  return {
    seal (content, belongsTo) {
      const nonce = ids.bytes(nonceBytes)
      const encryption = createCipheriv(cipher, sealing.secret, nonce, { authTagLength: tagBytes })
      encryption.setAAD(boundFacts(sealing.id, belongsTo))
      const ciphertext = encryption.update(JSON.stringify({ expiresAtMs: clock.nowMs() + lifeMs, content }), 'utf8')
      const bytes = Buffer.concat([nonce, ciphertext, encryption.final(), encryption.getAuthTag()])
      return `${version}.${sealing.id}.${bytes.toString('base64url')}`
    },

    open (sealed, belongsTo) {
      const [prefix, keyId = '', payload = '', ...more] = sealed.split('.', 4)
      const key = opening.get(keyId)
      if (prefix !== version || key === undefined || more.length > 0) return undefined
      const bytes = Buffer.from(payload, 'base64url')
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== payload) return undefined
      const text = decrypt(bytes, key, belongsTo)
      if (text === undefined) return undefined
      // What has the right tag was written by `seal`.
      const { expiresAtMs, content } = JSON.parse(text) as { readonly expiresAtMs: number, readonly content: unknown }
      return clock.nowMs() < expiresAtMs ? { content } : undefined
    }
  }
}

function decrypt (bytes: Buffer, key: PurposeKey, belongsTo: SealedFor): string | undefined {
  const decryption = createDecipheriv(cipher, key.secret, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decryption.setAAD(boundFacts(key.id, belongsTo))
  decryption.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([decryption.update(bytes.subarray(nonceBytes, -tagBytes)), decryption.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** Texts in a JSON array cannot run into each other. */
function boundFacts (keyId: string, { principal, method, target, arguments: given }: SealedFor): Buffer {
  const argumentsDigest = createHash('sha256').update(canonicalJson(given)).digest('base64url')
  return Buffer.from(JSON.stringify([version, keyId, principal.key, method, target, argumentsDigest]))
}

function purposeKey (master: Buffer, purpose: string): PurposeKey {
  if (master.length !== masterKeyBytes) throw new Error(`a master key has ${masterKeyBytes} bytes`)
  return {
    id: derive(master, 'key id', 6).toString('base64url'),
    secret: derive(master, `seal ${purpose}`, 32)
  }
}

function derive (master: Buffer, use: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `mooring ${version} ${use}`, bytes))
}
