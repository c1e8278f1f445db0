/**
 * `docs/errors.md`: every refusal, read from its class in the code. The docstring says when it
 * happens, and the facts that the constructor passes on say the rest.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { packageRoot } from '../src/runtime/package-root.ts'

export interface RefusalEntry {
  readonly className: string
  readonly code: string
  readonly when: string
  readonly retry: string
  /** What it tells the caller to do: one for each case it distinguishes, none where the place that refuses says it. */
  readonly nextActions: readonly string[]
}

/** The refusals of all files below `src/`, sorted by code. */
export function listRefusals (): readonly RefusalEntry[] {
  const source = join(packageRoot, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files
    .flatMap((name) => refusalsIn(readFileSync(join(source, name), 'utf8'), name))
    .sort((one, other) => one.code < other.code ? -1 : 1)
}

/**
 * Codes of answers that no class of refusal stands for: the ingress answers with them before there is
 * anything that could refuse, or a tool in place of one.
 */
export const plainCodes: readonly Omit<RefusalEntry, 'className'>[] = [
  {
    code: 'host_not_allowed',
    when: 'The `Host` header names no host under which this server is called.',
    retry: 'no',
    nextActions: ['Use 127.0.0.1 or localhost, or have the operator add the name to server.allowedHosts.']
  },
  {
    code: 'internal_error',
    when: 'A fault of mooring, or of something it depends on; the log has the details.',
    retry: 'no',
    nextActions: ['Observe the screen before going on, and tell the operator the time of the call.']
  },
  {
    code: 'invalid_arguments',
    when: 'The arguments of a call do not fit the tool; `issues` names each.',
    retry: 'no',
    nextActions: ['Correct the named arguments and call again.']
  },
  {
    code: 'invalid_json',
    when: 'Outside MCP: the body is no JSON, or not in UTF-8.',
    retry: 'no',
    nextActions: ['Send one JSON object in UTF-8, and declare its length.']
  },
  {
    code: 'invalid_request',
    when: 'Outside MCP: the body or the query is not what the order takes. `error` names what is wrong, a misspelt member included.',
    retry: 'no',
    nextActions: ['Correct it; openapi/openapi.json describes every request.']
  },
  {
    code: 'no_oauth',
    when: 'A client looks for OAuth, which this server does not have.',
    retry: 'no',
    nextActions: ['Send the token of the server as `Authorization: Bearer <token>`.']
  },
  {
    code: 'origin_not_allowed',
    when: 'The request comes from a page of another site, which is not among those that may call.',
    retry: 'no',
    nextActions: ['Call without an Origin header, or have the operator add the origin to server.allowedOrigins.']
  }
]

/** Every code that an answer can have, sorted. */
function allCodes (): readonly Omit<RefusalEntry, 'className'>[] {
  return [...listRefusals(), ...plainCodes].sort((one, other) => one.code < other.code ? -1 : 1)
}

/**
 * The codes that answers are given in the text of a file: `code: 'in_snake_case'` in an object. Codes of
 * classes are members with an initializer, and not among them.
 */
export function codesIn (text: string, file: string): readonly string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'code' && ts.isStringLiteralLike(node.initializer)) found.push(node.initializer.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found.filter((code) => /^[a-z]+(?:_[a-z]+)+$/.test(code))
}

export function errorsPage (): string {
  const rows = allCodes().map(({ code, when, retry, nextActions }) =>
    `| \`${code}\` | ${cell(when)} | ${cell(retry)} | ${cell(nextActions.join(' Or: ') || 'It depends on the case; `nextAction` says it.')} |`)
  return `${introduction}${rows.join('\n')}\n`
}

const introduction = `# Refusals

<!-- Generated from the refusals in src/ by \`npm run generate\`. Change them there. -->

A refusal is an expected "no". A tool that refuses answers with a result whose \`isError\` is true; its \`structuredContent\` has \`code\`, \`message\`, \`retryable\`, \`nextAction\`, sometimes \`retryAfterMs\`, and facts of its own such as candidates. Outside MCP it is a JSON object whose \`error\` is the message, with the rest beside it. The \`mooring\` command prints \`message\` and \`nextAction\`, and ends with 2 for wrong settings and 1 for anything else.

A code keeps its meaning and is never used for another one. "Retry" is whether the same call, unchanged, can work later; \`<…>\` stands for what is known only then.

| \`code\` | When | Retry | What to do |
| --- | --- | --- | --- |
`

/** The classes of a file that extend `Refusal`. */
export function refusalsIn (text: string, file: string): readonly RefusalEntry[] {
  const classes = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements.filter(ts.isClassDeclaration)
  return classes.filter(extendsRefusal).map((declaration) => {
    const className = declaration.name?.text ?? '?'
    const code = declaration.members.filter(ts.isPropertyDeclaration).find(({ name }) => name.getText() === 'code')?.initializer
    const when = ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join(' ')
    const facts = factsOf(declaration)
    if (code === undefined || !ts.isStringLiteral(code) || when === '' || facts === undefined) {
      throw new Error(`${file}: ${className} needs a docstring that says when it happens, a literal code, and one call of super with its facts`)
    }
    const retryable = factNamed(facts, 'retryable')
    return { className, code: code.text, when: when.replaceAll(/\s+/g, ' '), retry: retryOf(retryable, declaration), nextActions: textsOf(factNamed(facts, 'nextAction')) }
  })
}

function extendsRefusal ({ heritageClauses = ts.factory.createNodeArray() }: ts.ClassDeclaration): boolean {
  return heritageClauses.some(({ token, types }) => token === ts.SyntaxKind.ExtendsKeyword && types[0]?.expression.getText() === 'Refusal')
}

/** The object that the constructor passes to the one of `Refusal`. */
function factsOf (declaration: ts.ClassDeclaration): ts.ObjectLiteralExpression | undefined {
  const body = declaration.members.find(ts.isConstructorDeclaration)?.body
  const calls = body?.statements.filter(ts.isExpressionStatement).map(({ expression }) => expression).filter(ts.isCallExpression)
  const argument = calls?.find(({ expression }) => expression.kind === ts.SyntaxKind.SuperKeyword)?.arguments[0]
  return argument !== undefined && ts.isObjectLiteralExpression(argument) ? argument : undefined
}

function factNamed (facts: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  return facts.properties.filter(ts.isPropertyAssignment).find((property) => property.name.getText() === name)?.initializer
}

function retryOf (retryable: ts.Expression | undefined, declaration: ts.ClassDeclaration): string {
  if (retryable?.kind === ts.SyntaxKind.FalseKeyword) return 'no'
  if (retryable?.kind !== ts.SyntaxKind.TrueKeyword) return 'it depends; `retryable` says it'
  return declaration.getText().includes('retryAfterMs') ? 'yes, after `retryAfterMs`' : 'yes'
}

/** The texts that an expression can come to, as far as the code says. */
function textsOf (expression: ts.Expression | undefined): readonly string[] {
  if (expression === undefined) return []
  if (ts.isStringLiteralLike(expression)) return [expression.text]
  if (ts.isTemplateExpression(expression)) {
    return [expression.head.text + expression.templateSpans.map((span) => `<${span.expression.getText()}>${span.literal.text}`).join('')]
  }
  if (ts.isConditionalExpression(expression)) return [...textsOf(expression.whenTrue), ...textsOf(expression.whenFalse)]
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return textsOf(expression.right)
  return []
}

function cell (text: string): string {
  return text.replaceAll('|', '\\|')
}
