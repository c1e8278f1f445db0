import t from 'tap'
import { acceptsForm, isJsonContentType } from '../../src/protocol/media-types.ts'

t.test('HTTP-03: only the media type counts, parameters do not', async (t) => {
  for (const header of ['application/json', 'Application/JSON; charset=utf-8', 'application/json ;x=1']) t.ok(isJsonContentType(header), header)
  for (const header of [undefined, '', 'text/json', 'application/json-patch+json', 'application/jsonx', 'application/json, text/plain']) t.notOk(isJsonContentType(header), String(header))
})

t.test('HTTP-04: both forms must be acceptable; wildcards and absence are fine', async (t) => {
  for (const header of [undefined, '*/*', 'application/json, text/event-stream', 'text/event-stream;q=0.5 , application/json', 'application/*, text/*', 'text/html, */*;q=0.1']) {
    t.ok(acceptsForm(header, 'either'), String(header))
  }
  for (const header of ['', 'application/json', 'text/event-stream', 'text/html', 'application/json, text/event-stream;q=0', '*/*, text/event-stream;q=0.0', 'application/json, image/*']) {
    t.notOk(acceptsForm(header, 'either'), header)
  }
})

t.test('HTTP-04: only what the answer can be has to be acceptable', async (t) => {
  for (const header of ['application/json', 'application/*', 'text/event-stream;q=0, */*']) {
    t.ok(acceptsForm(header, 'message'), header)
    t.notOk(acceptsForm(header, 'stream') && acceptsForm(header, 'either'), header)
  }
  for (const header of ['text/event-stream', 'text/*', 'application/json;q=0, */*;q=0.1']) {
    t.ok(acceptsForm(header, 'stream'), header)
    t.notOk(acceptsForm(header, 'message') || acceptsForm(header, 'either'), header)
  }
})
