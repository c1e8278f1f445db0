/** An app file with that screen content and, if given, more at its top level. */
export function appFile (content: string, more = ''): string {
  return [
    'id: com.example.tiny',
    'name: Tiny',
    'version: 1.0.0',
    'icon: T',
    'color: \'#112233\'',
    'firstScreen: first',
    'state: { count: 0, text: x, list: [1, 2] }',
    ...(more === '' ? [] : [more]),
    'screens:',
    '  first:',
    '    title: First',
    `    content: ${content}`
  ].join('\n')
}
