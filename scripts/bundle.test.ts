import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installKinds } from '../src/process/install-kinds.ts'
import { bundle } from './bundle.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-bundle-'))
const program = join(directory, 'machinist')
const path = `${dirname(process.execPath)}:${process.env['PATH']}`
const surroundings = { cwd: '/', env: { ...process.env, PATH: path } }
let server: ChildProcess | undefined
beforeAll(() => bundle(directory))
afterAll(() => {
  server?.kill('SIGKILL')
  rmSync(directory, { recursive: true })
})

describe('a bundle', () => {
  it('contains everything that its commands need, without a checkout', () => {
    const config = `
kind: ControllerConfig
metadata: { name: machine-config-controller }
spec: { clusterDNSIP: 10.96.0.10, images: {}, infra: null }
`
    const args = ['template', '--controller-config=-', '--role=worker']
    const ran = spawnSync(program, args, { input: config, encoding: 'utf8', ...surroundings })
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(ran.stdout).toContain('name: 01-worker-kubelet')
  })

  it('contains the package that the API server loads with the first pattern of a definition', async () => {
    const data = join(directory, 'data')
    const args = ['apiserver', '--data', data, '--listen=127.0.0.1:0']
    server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...surroundings })
    const [output] = (await once(server.stdout!, 'data')) as [Buffer]
    expect(String(output)).toContain('ready: https://127.0.0.1:')
    await expect(installKinds(join(data, 'kubeconfig'))).resolves.toBeUndefined()
  })

  it.each([
    ['cluster', ['controller', 'operator', 'server', 'signer']],
    ['daemon', ['daemon']],
  ] as const)('for an image, of the %s, has only its commands', async (name, commands) => {
    const own = join(directory, name)
    await bundle(own, name)
    const { stdout } = spawnSync(join(own, 'machinist'), ['--help'], {
      encoding: 'utf8',
      ...surroundings,
    })
    expect([...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, found]) => found)).toEqual(commands)
  })
  it('does not depend on the working directory', async () => {
    const [here, elsewhere] = [join(directory, 'here'), join(directory, 'else/where')]
    await bundle(here, 'daemon')
    const args = [join(import.meta.dirname, 'bundle.ts'), elsewhere, 'daemon']
    expect(spawnSync(process.execPath, args, surroundings).status).toBe(0)
    const names = readdirSync(here).sort()
    expect(names.length).toBeGreaterThan(10)
    expect(readdirSync(elsewhere).sort()).toEqual(names)
  })
})
