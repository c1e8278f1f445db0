import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'

/** What the demo's agent can do: every step is one MCP call through the official client. */
export interface Agent {
  /** The protocol version that client and gateway speak. */
  readonly protocolVersion: string
  /** Calls a tool; the text is what a model would read. Throws when the tool refuses. */
  call (tool: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly text: string, readonly data: Readonly<Record<string, unknown>> }>
  /** Takes a screenshot and saves it. @returns the file */
  screenshot (lease: string, name: string): Promise<string>
  close (): Promise<void>
}

const toolResult = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), data: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional()
})

/** `pictures` is the folder for screenshots. */
export async function connectAgent ({ url, token, legacy, pictures }: {
  readonly url: string
  readonly token: string
  readonly legacy: boolean
  readonly pictures: string
}): Promise<Agent> {
  const client = new Client(
    { name: 'mooring-demo', version: '1.0.0' },
    { versionNegotiation: { mode: legacy ? 'legacy' : { pin: '2026-07-28' } } }
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
  await mkdir(pictures, { recursive: true })

  async function call (tool: string, args: Readonly<Record<string, unknown>>) {
    const { isError, content, structuredContent } = toolResult.parse(await client.callTool({ name: tool, arguments: args }))
    const text = content.map((block) => block.text ?? '').filter((part) => part !== '').join('\n')
    if (isError === true) throw new Error(`${tool} was refused: ${text}`)
    return { text, data: structuredContent ?? {}, content }
  }

  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    call,
    async screenshot (lease, name) {
      const { content } = await call('captureScreenshot', { lease })
      const image = content.find((block) => block.type === 'image')?.data
      if (image === undefined) throw new Error('captureScreenshot returned no image')
      const file = join(pictures, `${name}.png`)
      await writeFile(file, Buffer.from(image, 'base64'))
      return file
    },
    close: async () => await client.close()
  }
}
