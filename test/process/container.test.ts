import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'

t.test('the health check of the container asks at the port that is set', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-container-'))
  t.teardown(async () => await rm(stateDir, { recursive: true, force: true }))
  const { port } = await startGatewayProcess(t, { stateDir, flags: ['--open-probes'] })
  const dockerfile = await readFile(join(packageRoot, 'Dockerfile'), 'utf8')
  const [, command = ''] = /^HEALTHCHECK [^]*?^ {2}CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, ...args] = z.array(z.string()).parse(JSON.parse(command))

  const check = async (variables: Readonly<Record<string, string>>): Promise<number> => await new Promise((resolve) => {
    execFile(process.execPath, args, { env: { PATH: process.env['PATH'], ...variables } }, (error) => resolve(Number(error?.code ?? 0)))
  })

  t.equal(await check({ MOORING_PORT: String(port) }), 0)
  t.equal(await check({ MOORING_PORT: '1' }), 1)
  t.match(args.at(-1), /8484/, 'the port where none is set')
})
