import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a screenshot of any width has at least one pixel, lying down too', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})

  for (const orientation of ['portrait', 'landscape']) {
    t.notOk((await wire.call('rotate', { lease, orientation })).isError)
    const { content, isError } = await wire.call('captureScreenshot', { lease, maxWidth: 1 })
    t.notOk(isError, orientation)
    t.match(content.find(({ type }: { type: string }) => type === 'image'), { data: /^iVBOR/ })
  }
})
