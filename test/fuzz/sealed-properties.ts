/** What must hold for sealed strings, whoever sends what as one (MRTR-06, MRTR-07). */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { createSealer, type SealedFor } from '../../src/protocol/sealed-string.ts'
import type { JsonObject } from '../../src/protocol/message.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { property, type FuzzProperty } from './fuzz-property.ts'
import { hostileText, hostileValue } from './hostile-values.ts'

const [first, second] = [randomIds.bytes(32), randomIds.bytes(32)]
const sealer = createSealer({ keys: [first, second], purpose: 'fuzz', clock: systemClock, ids: randomIds })

const json = hostileValue.map((value): unknown => JSON.parse(JSON.stringify(value)))
const belongsTo: fc.Arbitrary<SealedFor> = fc.record({
  principal: hostileText.map((subject) => ({ issuer: 'test', subject, key: `test\0${subject}` })),
  method: hostileText,
  target: hostileText,
  arguments: fc.array(fc.tuple(hostileText, json), { maxLength: 3 }).map((entries): JsonObject => Object.fromEntries(entries))
})

export const sealedProperties: readonly FuzzProperty[] = [
  property('MRTR-06: what was sealed opens again, exactly', 500, [json, belongsTo], (content, owner) => {
    return isDeepStrictEqual(sealer.open(sealer.seal(content, owner), owner)?.content, content)
  }),

  property('MRTR-07: it opens for what it was made for and for nothing else', 500, [belongsTo, belongsTo], (owner, other) => {
    return (sealer.open(sealer.seal(1, owner), other) !== undefined) === isDeepStrictEqual(owner, other)
  }),

  property('MRTR-06: changed, cut or lengthened in any way, it opens no more', 2_000, [belongsTo, fc.nat(), fc.nat(), hostileText], (owner, from, length, put) => {
    const sealed = sealer.seal(1, owner)
    const at = from % (sealed.length + 1)
    const changed = sealed.slice(0, at) + put + sealed.slice(at + length % 4)
    return changed === sealed || sealer.open(changed, owner) === undefined
  }),

  property('MRTR-06: no other text opens, and none makes it throw', 2_000, [fc.oneof(hostileText, fc.tuple(hostileText, hostileText).map(([id, rest]) => `v1.${id}.${rest}`)), belongsTo], (text, owner) => {
    return sealer.open(text, owner) === undefined
  })
]
