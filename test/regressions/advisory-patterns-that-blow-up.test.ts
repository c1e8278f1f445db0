/**
 * A class of advisories about other MCP servers: a text of a caller makes a pattern of the server run
 * for ever (CVE-2026-0621). The processor time is bounded far below what a pattern that backtracks would
 * take, and far above what these do.
 */
import t from 'tap'
import { parseUriTemplate } from '../../src/mcp/uri-template.ts'
import { acceptsForm, isJsonContentType } from '../../src/protocol/media-types.ts'
import { decodeHeaderValue } from '../../src/protocol/header-value.ts'
import { readTraceContext } from '../../src/protocol/trace-context.ts'
import { parseBearer } from '../../src/auth/verify-token.ts'
import { redactUri } from '../../src/telemetry/redact-uri.ts'

const longest = 1024 * 1024
/** A pattern that looks at each pair of characters would take hours. */
const boundMs = 5_000

function hostileTexts (length: number): readonly string[] {
  return ['/', '-', '%', ' ', 'a', ',', ';', '=', '%2', 'a,', ' ,', '{', '"', 'é'].map((piece) => piece.repeat(Math.floor(length / piece.length)))
}

function within (t: { ok (claim: boolean, message: string): unknown }, what: string, work: () => unknown): void {
  const before = process.cpuUsage()
  work()
  const tookMs = process.cpuUsage(before).user / 1_000
  t.ok(tookMs < boundMs, `${what}: ${Math.round(tookMs)} ms`)
}

t.test('URIs are matched in time that grows with their length alone', async (t) => {
  const templates = ['mooring://leases/{lease}/screen', 'a://{x}-{y}', 'a://{x}/{y}/{z}/{w}', 'a://{x}.{y}.{z}'].map(parseUriTemplate)
  for (const { text, match } of templates) {
    within(t, text, () => {
      for (const hostile of hostileTexts(longest)) for (const prefix of ['', 'mooring://leases/', 'a://']) match(`${prefix}${hostile}?`)
    })
  }
  t.same(parseUriTemplate('a://{x}-{y}').match('a://1-2'), { x: '1', y: '2' })
  t.throws(() => parseUriTemplate('a://{x}{y}'), /side by side/)
})

t.test('so are headers, as long as they may be', async (t) => {
  const texts = hostileTexts(65_536)
  within(t, 'Accept', () => texts.map((text) => acceptsForm(text, 'either')))
  within(t, 'Content-Type', () => texts.map((text) => isJsonContentType(text)))
  within(t, 'Authorization', () => texts.map((text) => parseBearer([`Bearer ${text}`])))
  within(t, 'Mcp-Name', () => texts.map((text) => decodeHeaderValue(`=?base64?${text}?=`)))
  within(t, 'trace context', () => texts.map((text) => readTraceContext({}, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: text, baggage: text })))
})

t.test('so is what telemetry shows of a URI', async (t) => {
  within(t, 'redacted', () => hostileTexts(longest).map((text) => redactUri(`mooring://${text}`)))
})
