import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packageRoot } from '../../src/runtime/package-root.ts'

/**
 * The project's linter, asked about single snippets.
 *
 * It runs in a thread of its own, without the loaders of this one: the loader that runs tests
 * from their sources cannot load all of the linter's dependencies.
 */
export interface Linter {
  /**
   * What the linter says to `code`, were it in `file`: `rule: message` each. Without `types`
   * the file need not exist, and the rules that need types are off.
   */
  complaints (code: string, file: string, options?: { readonly types?: boolean }): Promise<string[]>
  close (): Promise<void>
}

const needTypes = ['no-floating-promises', 'no-misused-promises', 'switch-exhaustiveness-check']

const withoutTypes = [{
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { projectService: false } },
  rules: Object.fromEntries(needTypes.map((rule) => [`@typescript-eslint/${rule}`, 'off']))
}]

const program = `
  const { parentPort, workerData: { cwd, overrideConfig } } = require('node:worker_threads')
  const { ESLint } = require(require.resolve('eslint', { paths: [cwd] }))

  const typed = new ESLint({ cwd })
  const untyped = new ESLint({ cwd, overrideConfig })

  parentPort.on('message', async ({ code, filePath, types }) => {
    const [{ messages }] = await (types ? typed : untyped).lintText(code, { filePath })
    parentPort.postMessage(messages.map(({ ruleId, message }) => ruleId + ': ' + message))
  })
`

export function startLinter (): Linter {
  const worker = new Worker(program, {
    eval: true,
    execArgv: [],
    workerData: { cwd: packageRoot, overrideConfig: withoutTypes }
  })
  let turn: Promise<unknown> = Promise.resolve()

  function ask (question: { code: string, filePath: string, types: boolean }): Promise<string[]> {
    return new Promise((resolve, reject) => {
      worker.once('error', reject)
      worker.once('message', (answer: string[]) => {
        worker.off('error', reject)
        resolve(answer)
      })
      worker.postMessage(question)
    })
  }

  return {
    // One question at a time, so that the next answer is this question's.
    complaints (code, file, { types = false } = {}) {
      const answer = turn.then(() => ask({ code, filePath: join(packageRoot, file), types }))
      turn = answer.catch(() => undefined)
      return answer
    },
    async close () {
      await worker.terminate()
    }
  }
}
