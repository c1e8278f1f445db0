import fc from 'fast-check'
import t from 'tap'
import { createSealer, defaultLifeMs, type SealedFor, type SealingKeys } from '../../src/protocol/sealed-string.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { manualTime } from '../support/manual-time.ts'
import { principal } from '../support/mcp-request.ts'

const keyOf = (byte: number): Buffer => Buffer.alloc(32, byte)

const belongsTo: SealedFor = {
  principal: principal('ada'), method: 'tools/call', target: 'resetDevice', arguments: { lease: 'ls_1', options: { deep: [1, 2], fast: true } }
}

function setup (keys: SealingKeys = [keyOf(1)]) {
  const time = manualTime(Date.UTC(2026, 0, 1))
  const sealerWith = (keys: SealingKeys, purpose = 'request state') => createSealer({ keys, purpose, clock: time.clock, ids: randomIds })
  return { time, sealerWith, sealer: sealerWith(keys) }
}

t.test('MRTR-06: what was sealed opens again for what it belongs to, whatever it is', async (t) => {
  const { sealer } = setup()
  fc.assert(fc.property(fc.jsonValue(), fc.string(), fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (content, target, method, given) => {
    const belongsTo = { principal: principal(), method, target, arguments: given }
    const opened = sealer.open(sealer.seal(content, belongsTo), belongsTo)
    return opened !== undefined && JSON.stringify(opened.content) === JSON.stringify(content)
  }))
})

t.test('a sealed string shows nothing of its content, and no two are alike', async (t) => {
  const { sealer } = setup()
  const first = sealer.seal({ answer: 'violet' }, belongsTo)

  t.match(first, /^v1\.[\w-]{8}\.[\w-]+$/)
  t.notMatch(Buffer.from(first.split('.')[2] ?? '', 'base64url').toString('latin1'), /violet|ada|resetDevice/)
  t.not(sealer.seal({ answer: 'violet' }, belongsTo), first)
})

t.test('MRTR-06: every flipped bit of the string makes it worthless', async (t) => {
  const { sealer } = setup()
  const sealed = Buffer.from(sealer.seal({ answers: ['yes'] }, belongsTo), 'latin1')

  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const tampered = Buffer.from(sealed)
    tampered.writeUInt8(tampered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    if (sealer.open(tampered.toString('latin1'), belongsTo) !== undefined) t.fail(`bit ${bit} can be flipped`)
  }
  t.ok(sealer.open(sealed.toString('latin1'), belongsTo))
})

t.test('MRTR-06: every flipped bit of the sealed bytes makes them worthless', async (t) => {
  const { sealer } = setup()
  const [version, keyId, payload = ''] = sealer.seal('yes', belongsTo).split('.')
  const bytes = Buffer.from(payload, 'base64url')

  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const tampered = Buffer.from(bytes)
    tampered.writeUInt8(tampered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    if (sealer.open([version, keyId, tampered.toString('base64url')].join('.'), belongsTo) !== undefined) t.fail(`bit ${bit} can be flipped`)
  }
  t.pass('none can')
})

t.test('only the one spelling opens: no padding, no other alphabet, nothing cut off or added', async (t) => {
  const { sealer } = setup()
  const sealed = sealer.seal('yes', belongsTo)

  for (let length = 0; length < sealed.length; length++) {
    if (sealer.open(sealed.slice(0, length), belongsTo) !== undefined) t.fail(`the first ${length} characters open`)
  }
  for (const other of [`${sealed}=`, `${sealed} `, ` ${sealed}`, `${sealed}.`, `${sealed}A`, `${sealed}-TAMPERED`, `${sealed}.more`, sealed.toUpperCase(), sealed.replace('v1', 'v2')]) {
    t.equal(sealer.open(other, belongsTo), undefined, other)
  }
})

t.test('no other string opens', async (t) => {
  const { sealer } = setup()
  const keyId = sealer.seal('', belongsTo).split('.')[1]
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sealer.open(text, belongsTo) === undefined))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
    return sealer.open(`v1.${keyId}.${Buffer.from(bytes).toString('base64url')}`, belongsTo) === undefined
  }))
})

t.test('MRTR-07, D-19: it opens for no other principal, method, target or arguments', async (t) => {
  const { sealer } = setup()
  const sealed = sealer.seal('yes', belongsTo)

  const others: SealedFor[] = [
    { ...belongsTo, principal: principal('eve') },
    { ...belongsTo, principal: { issuer: 'other', subject: 'ada', key: 'other\0ada' } },
    { ...belongsTo, method: 'prompts/get' },
    { ...belongsTo, target: 'resetdevice' },
    { ...belongsTo, arguments: {} },
    { ...belongsTo, arguments: { ...belongsTo.arguments, lease: 'ls_2' } },
    { ...belongsTo, arguments: { ...belongsTo.arguments, extra: null } },
    { ...belongsTo, arguments: { lease: 'ls_1', options: { deep: [2, 1], fast: true } } }
  ]
  for (const other of others) t.equal(sealer.open(sealed, other), undefined)
  t.ok(sealer.open(sealed, { ...belongsTo, arguments: { options: { fast: true, deep: [1, 2] }, lease: 'ls_1' } }), 'the order of members is no difference')
})

t.test('texts that would run together are told apart', async (t) => {
  const { sealer } = setup()
  fc.assert(fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (method, target, otherMethod, otherTarget) => {
    const sealed = sealer.seal(1, { ...belongsTo, method, target })
    const opened = sealer.open(sealed, { ...belongsTo, method: otherMethod, target: otherTarget })
    return (opened !== undefined) === (method === otherMethod && target === otherTarget)
  }))
})

t.test('it opens for no other purpose', async (t) => {
  const { sealer, sealerWith } = setup()
  t.equal(sealerWith([keyOf(1)], 'task id').open(sealer.seal('yes', belongsTo), belongsTo), undefined)
})

t.test('MRTR-07: it opens until its ten minutes are over, and not at that instant', async (t) => {
  const { sealer, time } = setup()
  const sealed = sealer.seal('yes', belongsTo)

  time.advance(defaultLifeMs - 1)
  t.same(sealer.open(sealed, belongsTo), { content: 'yes' })
  time.advance(1)
  t.equal(sealer.open(sealed, belongsTo), undefined)
  t.equal(defaultLifeMs, 600_000)
})

t.test('rotation: a new key seals while the old one still opens, until it is taken away', async (t) => {
  const { sealerWith } = setup()
  const [before, during, after] = [sealerWith([keyOf(1)]), sealerWith([keyOf(2), keyOf(1)]), sealerWith([keyOf(2)])]
  const [old, fresh] = [before.seal('old', belongsTo), during.seal('new', belongsTo)]

  t.same(during.open(old, belongsTo), { content: 'old' })
  t.same(during.open(fresh, belongsTo), { content: 'new' })
  t.same(after.open(fresh, belongsTo), { content: 'new' })
  t.equal(after.open(old, belongsTo), undefined)
  t.equal(before.open(fresh, belongsTo), undefined, 'an unknown key')
  const [, newId = ''] = fresh.split('.')
  t.equal(during.open(old.replace(/\.[^.]+\./, `.${newId}.`), belongsTo), undefined, 'a string under the name of another key')
})

t.test('a key of another length is refused', async (t) => {
  t.throws(() => setup([Buffer.alloc(16)]), /32 bytes/)
})
