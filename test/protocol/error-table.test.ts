import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  errorCodes, internalError, invalidParams, methodNotFound, missingClientCapability, missingMeta, notARequest, notJson, resourceNotFound, unsupportedVersion
} from '../../src/protocol/error-table.ts'
import { checkMirroredParameters } from '../../src/protocol/mirrored-parameters.ts'
import { checkMethodHeader, checkNameHeader, checkVersionHeader } from '../../src/protocol/request-headers.ts'
import { encodeError } from '../../src/protocol/encode.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

t.test('ERR-01…ERR-11: each situation has its status and its code', async (t) => {
  const rows: ReadonlyArray<[object | undefined, number, number]> = [
    [notJson('x'), 400, -32700],
    [notARequest('RPC-01', 'x'), 400, -32600],
    [methodNotFound('nope', 404), 404, -32601],
    [missingMeta(['x']), 400, -32602],
    [checkVersionHeader({}, '2026-07-28'), 400, -32020],
    [missingClientCapability({ sampling: {} }), 400, -32021],
    [unsupportedVersion('VER-02', '1999-01-01'), 400, -32022],
    [invalidParams('x'), 200, -32602],
    [resourceNotFound('test://x'), 200, -32602],
    [internalError, 200, -32603]
  ]
  for (const [rejection, status, code] of rows) t.match(rejection, { status, code })
})

t.test('ERR-06, ERR-07, ERR-09: the data is what a client needs to do better', async (t) => {
  t.same(missingClientCapability({ elicitation: { url: {} } }).data, { requiredCapabilities: { elicitation: { url: {} } } })
  t.same(unsupportedVersion('VER-02', '1999-01-01').data, { supported: ['2026-07-28'], requested: '1999-01-01' })
  t.same(resourceNotFound('test://x').data, { uri: 'test://x' })
})

t.test('ERR-05: a header is named, and its value is not repeated', async (t) => {
  const secret = 'hunter2'
  const mismatches = [
    checkVersionHeader({ 'mcp-protocol-version': secret }, '2026-07-28'), checkMethodHeader({ 'mcp-method': secret }, 'tools/list'),
    checkNameHeader({ 'mcp-name': secret }, 'tools/call', { name: 'tap' }),
    checkMirroredParameters([{ name: 'Region', path: ['region'], type: 'string' }], { 'mcp-param-region': secret }, { region: 'eu' })
  ]

  const headers = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Param-Region']
  for (const [index, rejection] of mismatches.entries()) {
    t.match(rejection, { status: 400, code: -32020, message: headers[index] })
    t.notMatch(JSON.stringify(rejection), secret)
  }
})

t.test('ERR-14: of the codes MCP reserves only the three it defines are used, and no other file invents one', async (t) => {
  const { legacyResourceNotFound, ...modern } = errorCodes
  const reserved = Object.values(modern).filter((code) => code <= -32000 && code >= -32099)

  t.same(reserved, [-32020, -32021, -32022])
  const src = join(packageRoot, 'src')
  const inventing = ['src', 'plugins', 'routes'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && join(packageRoot, folder, file) !== join(src, 'protocol', 'error-table.ts'))
      .filter((file) => codesIn(readFileSync(join(packageRoot, folder, file), 'utf8')).length > 0))
  t.same(inventing, [])
})

t.test('ERR-15, LEGACY-11: -32002 is for legacy callers and for nobody else', async (t) => {
  t.match(JSON.parse(encodeError(1, resourceNotFound('test://x'), 'legacy')), { error: { code: -32002 } })
  t.match(JSON.parse(encodeError(1, resourceNotFound('test://x'), 'modern')), { error: { code: -32602 } })
})

/** Error codes in the code itself, comments aside. */
function codesIn (source: string): readonly string[] {
  return source.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '').match(/-32\d{3}\b/g) ?? []
}
