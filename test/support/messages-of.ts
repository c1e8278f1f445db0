/** The messages of a stream one by one, or the one message of a JSON body. */
export async function * messagesOf (response: NodeJS.ReadableStream): AsyncGenerator<any, undefined> {
  // Characters may come in pieces.
  response.setEncoding('utf8')
  let text = ''
  try {
    for await (const chunk of response) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = text.slice(0, end).split('\n').find((line) => line.startsWith('data: '))
        text = text.slice(end + 2)
        if (data !== undefined) yield JSON.parse(data.slice(6))
      }
    }
  } catch {
    // It broke off, which is an end too.
    return undefined
  }
  if (text !== '') yield JSON.parse(text)
  return undefined
}
