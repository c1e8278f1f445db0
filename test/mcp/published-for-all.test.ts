/**
 * What `tools/list` publishes, held to what model providers and clients are known to refuse. Each
 * restriction stands with its source: a provider's documentation, or a report of what was refused.
 *
 * One tool that a checker refuses loses the whole list for its callers, so a restriction of one
 * provider holds for all tools (docs/decisions/0034).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { isObject, type JsonObject } from '../../src/protocol/message.ts'
import { legacyVersions, modernVersion } from '../../src/protocol/versions.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** Each schema within the schema of a tool, with the names that lead to it. */
interface Part {
  readonly path: readonly string[]
  readonly schema: JsonObject
}

interface Restriction {
  readonly by: string
  readonly says: string
  readonly source: string
  /** Whether a tool keeps to it; the parts of its schema come along. */
  readonly holds: (tool: Tool, parts: readonly Part[]) => boolean
}

function partsOf (schema: JsonObject, path: readonly string[] = []): readonly Part[] {
  const named = ['properties', '$defs', 'patternProperties'].flatMap((keyword) => {
    const members = schema[keyword]
    return isObject(members) ? Object.entries(members).map(([name, member]) => [[...path, name], member] as const) : []
  })
  const plain = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'propertyNames'].map((keyword) => [[...path, keyword], schema[keyword]] as const)
  const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((keyword) => {
    const branches = schema[keyword]
    return Array.isArray(branches) ? branches.map((branch) => [[...path, keyword], branch] as const) : []
  })
  return [{ path, schema }, ...[...named, ...plain, ...listed].flatMap(([at, part]) => isObject(part) ? partsOf(part, at) : [])]
}

const none = (...keywords: readonly string[]) => (_tool: Tool, parts: readonly Part[]) =>
  parts.every(({ schema }) => keywords.every((keyword) => !Object.hasOwn(schema, keyword)))
const every = (holds: (schema: JsonObject) => boolean) => (_tool: Tool, parts: readonly Part[]) => parts.every(({ schema }) => holds(schema))
const propertiesOf = (schema: JsonObject): readonly string[] => isObject(schema['properties']) ? Object.keys(schema['properties']) : []

const restrictions: readonly Restriction[] = [
  {
    by: 'OpenAI, strict mode',
    says: 'every object is closed; clients make every member required, and null stands for what is left out',
    source: 'https://github.com/openai/openai-agents-python/blob/main/src/agents/strict_schema.py',
    holds: every((schema) => schema['type'] !== 'object' || schema['additionalProperties'] === false)
  },
  {
    by: 'OpenAI, strict mode',
    says: 'propertyNames is not permitted',
    source: 'https://github.com/can1357/oh-my-pi/issues/209',
    holds: none('propertyNames', 'patternProperties', 'unevaluatedProperties', 'dependentSchemas', 'dependentRequired')
  },
  {
    by: 'OpenAI, strict mode',
    says: 'no default',
    source: 'https://github.com/dotnet/extensions/issues/6266, https://github.com/openai/openai-agents-python/issues/4390',
    holds: none('default')
  },
  {
    by: 'OpenAI, strict mode',
    says: 'formats other than a few are refused',
    source: 'https://github.com/posit-dev/chatlas/pull/255',
    holds: none('format')
  },
  {
    by: 'OpenAI, strict mode',
    says: 'at most 5 levels of objects and 100 members (the narrowest bounds that were ever documented)',
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    holds: (_tool, parts) => parts.flatMap(({ schema }) => propertiesOf(schema)).length <= 100 && parts.every(({ path }) => path.length <= 5)
  },
  {
    by: 'OpenAI',
    says: 'a name of letters, digits, _ and -, at most 64; a description of at most 1,024 characters',
    source: 'https://github.com/modelcontextprotocol/servers/issues/799, https://github.com/getsentry/sentry-mcp/issues/106',
    holds: ({ name, description }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name) && description.length <= 1_024
  },
  {
    by: 'OpenAI, Vertex, DeepSeek and other checkers in Python or Rust',
    says: 'a pattern is a regular expression without flags and without \\p{…}; the safest is none',
    source: 'https://github.com/langfuse/langfuse/issues/14770, https://github.com/agigante80/actual-mcp-server/issues/293, https://github.com/NangoHQ/nango/issues/7547',
    holds: none('pattern')
  },
  {
    by: 'Gemini',
    says: 'propertyNames, default, $ref, $defs, const and the like are unknown fields',
    source: 'https://github.com/tailcallhq/forgecode/pull/3426, https://github.com/datastax/astra-assistants-api/issues/73, https://github.com/DEEIX-AI/DEEIX-Chat/issues/546',
    holds: none('propertyNames', 'default', '$ref', '$defs', '$schema', '$id', '$comment', 'definitions', 'const', 'examples', 'title', 'not', 'if', 'allOf', 'oneOf', 'exclusiveMinimum', 'exclusiveMaximum')
  },
  {
    by: 'Gemini',
    says: 'a schema that refers to itself is refused, or ends the client that reads it',
    source: 'https://github.com/google-gemini/gemini-cli/issues/14945, https://github.com/google/adk-python/issues/3870',
    holds: none('$ref', '$dynamicRef', '$recursiveRef')
  },
  {
    by: 'Gemini',
    says: 'a type is one name, not a list of them',
    source: 'https://github.com/zed-industries/zed/issues/44875',
    holds: every(({ type }) => typeof type === 'string' && type !== 'null')
  },
  {
    by: 'Gemini',
    says: 'properties and required stand on objects alone, and required names what is there',
    source: 'https://github.com/anomalyco/opencode/issues/11889',
    holds: every((schema) => {
      const { type, required = [] } = schema
      if (type !== 'object') return schema['properties'] === undefined && schema['required'] === undefined
      return Array.isArray(required) && required.every((name) => propertiesOf(schema).includes(name))
    })
  },
  {
    by: 'Gemini on Vertex',
    says: 'an object has members, and a list says what is in it',
    source: 'https://github.com/langgenius/dify-official-plugins/pull/3178, https://github.com/DEEIX-AI/DEEIX-Chat/issues/546',
    holds: every((schema) => {
      if (schema['type'] === 'array') return isObject(schema['items'])
      return schema['type'] !== 'object' || propertiesOf(schema).length > 0
    })
  },
  {
    by: 'Gemini',
    says: 'only strings have an enum, of strings that are not empty',
    source: 'https://github.com/sbroenne/mcp-server-excel/issues/607, https://github.com/microsoft/azure-devops-mcp/issues/139',
    holds: every(({ type, enum: values }) => values === undefined || (type === 'string' && Array.isArray(values) && values.every((value) => typeof value === 'string' && value !== '')))
  },
  {
    by: 'Gemini',
    says: 'the name of a tool begins with a letter or _',
    source: 'https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/79',
    holds: ({ name }) => /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(name)
  },
  {
    by: 'Anthropic',
    says: 'no oneOf, allOf or anyOf at the root',
    source: 'https://github.com/dearlordylord/huly-mcp/issues/66',
    holds: ({ inputSchema }) => !['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in inputSchema)
  },
  {
    by: 'Anthropic',
    says: 'names of members are of letters, digits, _, . and -, at most 64',
    source: 'https://github.com/beautyfree/appstore-connect-mcp/issues/2, https://github.com/anthropics/claude-code/issues/79418',
    holds: every((schema) => propertiesOf(schema).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name)))
  },
  {
    by: 'Anthropic, strict tools',
    says: 'nothing recursive and no bounds of lengths',
    source: 'https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations',
    holds: none('$ref', 'minLength', 'maxLength', 'multipleOf', 'uniqueItems', 'contains')
  },
  {
    by: 'Bedrock',
    says: 'the root is of type object and has properties',
    source: 'https://github.com/kirodotdev/Kiro/issues/11027, https://github.com/maximhq/bifrost/issues/1720',
    holds: ({ inputSchema }) => inputSchema['type'] === 'object' && isObject(inputSchema['properties'])
  },
  {
    by: 'Bedrock',
    says: 'a name of letters, digits, _ and -, at most 64, and a description that is not empty',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html',
    holds: ({ name, description }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name) && description !== ''
  },
  {
    by: 'Moonshot',
    says: 'every schema has a type, and one with anyOf has it in the branches alone',
    source: 'https://github.com/MoonshotAI/kimi-cli/issues/1595',
    holds: every((schema) => (schema['anyOf'] === undefined) === (typeof schema['type'] === 'string'))
  },
  {
    by: 'Moonshot',
    says: 'nothing stands beside $ref, and $ref leads to $defs of the root',
    source: 'https://github.com/MoonshotAI/kimi-cli/issues/2061, https://github.com/router-for-me/CLIProxyAPI/issues/5316, https://github.com/CommandCodeAI/command-code/issues/566',
    holds: none('$ref')
  },
  {
    by: 'Moonshot',
    says: 'the name of a tool begins with a letter',
    source: 'https://github.com/MoonshotAI/kimi-cli/issues/2531',
    holds: ({ name }) => /^[a-zA-Z]/.test(name)
  },
  {
    by: 'llama.cpp',
    says: 'no bound of 2,000 or more: it becomes a repetition that its own parser refuses, and nested ones multiply',
    source: 'https://github.com/ggml-org/llama.cpp/issues/25746, https://github.com/firecrawl/firecrawl/issues/4512',
    holds: every(({ minLength = 0, maxLength = 0, minItems = 0, maxItems = 0 }) => [minLength, maxLength, minItems, maxItems].every((bound) => Number(bound) < 100))
  },
  {
    by: 'llama.cpp',
    says: 'a pattern begins with ^, ends with $, and has no class such as \\w and no escaped /',
    source: 'https://github.com/ggml-org/llama.cpp/issues/27580, https://github.com/ggml-org/llama.cpp/issues/27397, https://github.com/openclaw/openclaw/issues/113562',
    holds: every(({ pattern = '^$' }) => /^\^[^\\]*\$$/.test(String(pattern)))
  },
  {
    by: 'llama.cpp',
    says: 'an object without members makes a grammar that cannot be read',
    source: 'https://github.com/ggml-org/llama.cpp/issues/25923',
    holds: every((schema) => schema['type'] !== 'object' || propertiesOf(schema).length > 0)
  }
]

function nested (levels: number): JsonObject {
  return { type: 'object', properties: levels === 0 ? {} : { inside: nested(levels - 1) } }
}

function toolsOf (revision: string): readonly Tool[] {
  const told = JSON.parse(readFileSync(join(packageRoot, 'test/published', `${revision}.json`), 'utf8'))
  return told['tools/list'].tools
}

// What stands in these files is what a server publishes: test/scripts/published-lists.test.ts holds them to that.
const revisions = [modernVersion, ...legacyVersions]

for (const { by, says, source, holds } of restrictions) {
  t.test(`${by}: ${says}`, async (t) => {
    for (const revision of revisions) {
      const broken = toolsOf(revision).filter((tool) => !holds(tool, partsOf(tool.inputSchema))).map(({ name }) => name)
      t.same(broken, [], `${revision}, see ${source}`)
    }
  })
}

t.test('each restriction finds the tool that breaks it', async (t) => {
  // As they were published before, and one for each other restriction.
  const schemas: readonly JsonObject[] = [
    { type: 'object', properties: { url: { type: 'string', maxLength: 2_048, pattern: '^[^\\s\\p{Cc}]+$' } } },
    { type: 'object', properties: { devices: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'object' } } } },
    { type: 'object', properties: { for: { $ref: '#/$defs/S', description: 'x' } }, $defs: { S: { type: 'object', properties: { within: { $ref: '#/$defs/S' } } } } },
    { type: 'object', properties: { n: { type: ['string', 'null'], default: 1, format: 'uri' } }, required: ['m'] },
    { type: 'object', properties: { n: { type: 'array', enum: [1] }, 'a b': { type: 'string', properties: {} } } },
    { type: 'object', anyOf: [{ required: ['a'] }] },
    nested(6),
    { type: 'array' }
  ]
  const tools = schemas.map((inputSchema) => ({ name: '1 tool', description: '', inputSchema }))

  for (const { by, says, holds } of restrictions) t.ok(tools.some((tool) => !holds(tool, partsOf(tool.inputSchema))), `${by}: ${says}`)
})

t.test('Ajv compiles every schema in strict mode, as draft 2020-12 and as draft 7', async (t) => {
  for (const revision of revisions) {
    for (const Checker of [Ajv2020, Ajv]) {
      const ajv = new Checker({ strict: true, allErrors: true })
      // HDR-08: the one keyword that is MCP's own.
      if (revision === modernVersion) ajv.addKeyword('x-mcp-header')
      for (const { name, inputSchema } of toolsOf(revision)) t.doesNotThrow(() => ajv.compile(inputSchema), `${revision} ${name}`)
    }
  }
})

t.test('HDR-08: only the revision that has headers for arguments publishes marks for them', async (t) => {
  t.match(JSON.stringify(toolsOf(modernVersion)), /"x-mcp-header":"Platform"/)
  for (const revision of legacyVersions) t.notMatch(JSON.stringify(toolsOf(revision)), /x-mcp-header/, revision)
})
