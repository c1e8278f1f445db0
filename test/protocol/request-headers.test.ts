import t from 'tap'
import { checkMethodHeader, checkNameHeader, checkVersionHeader } from '../../src/protocol/request-headers.ts'

const mismatch = { status: 400, code: -32020 }

t.test('HDR-01: the version header must be there and equal the body', async (t) => {
  t.equal(checkVersionHeader({ 'mcp-protocol-version': ' 2026-07-28 ' }, '2026-07-28'), undefined)
  t.match(checkVersionHeader({}, '2026-07-28'), mismatch)
  t.match(checkVersionHeader({ 'mcp-protocol-version': '2025-11-25' }, '2026-07-28'), mismatch)
})

t.test('HDR-02, HDR-04: the method header must equal the method, case included', async (t) => {
  t.equal(checkMethodHeader({ 'mcp-method': 'tools/list' }, 'tools/list'), undefined)
  t.match(checkMethodHeader({ 'mcp-method': 'TOOLS/LIST' }, 'tools/list'), mismatch)
  t.match(checkMethodHeader({}, 'tools/list'), mismatch)
})

t.test('HDR-03: the name header repeats the name, URI or task id of the methods that define it', async (t) => {
  for (const [method, params, name] of [
    ['tools/call', { name: 'tap' }, 'tap'], ['prompts/get', { name: 'p' }, 'p'], ['resources/read', { uri: 'mooring://devices' }, 'mooring://devices'],
    ['tasks/get', { taskId: 't1' }, 't1'], ['tasks/update', { taskId: 't1' }, 't1'], ['tasks/cancel', { taskId: 't1' }, 't1']
  ] as Array<[string, Record<string, unknown>, string]>) {
    t.equal(checkNameHeader({ 'mcp-name': name }, method, params), undefined, method)
    t.match(checkNameHeader({}, method, params), mismatch, `${method} without it`)
    t.match(checkNameHeader({ 'mcp-name': `${name}x` }, method, params), mismatch, `${method} with another`)
  }
  t.equal(checkNameHeader({ 'mcp-name': 'anything' }, 'tools/list', {}), undefined, 'not defined there')
  t.equal(checkNameHeader({}, 'tools/call', {}), undefined, 'a body without the name is not a header error')
})

t.test('HTTP-20, D-01: a doubled header never equals, even when one of the two is right', async (t) => {
  t.match(checkNameHeader({ 'mcp-name': 'tap, swipe' }, 'tools/call', { name: 'tap' }), mismatch)
  t.match(checkMethodHeader({ 'mcp-method': 'tools/list, tools/list' }, 'tools/list'), mismatch)
})

t.test('D-02…D-04: the name header is decoded strictly before it is compared', async (t) => {
  const check = (header: string): unknown => checkNameHeader({ 'mcp-name': header }, 'tools/call', { name: 'café' })
  t.equal(check('=?base64?Y2Fmw6k=?='), undefined)
  t.match(check('caf\u00e9'), mismatch)
  t.match(check('=?base64?Y2Fm6Q==?='), mismatch)
})
