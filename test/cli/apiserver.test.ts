import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { machineConfigPools } from '../../src/api/resources.ts'
import { configMaps } from '../../src/kube/kinds/core.ts'
import { clientFrom } from '../support/real-client.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const directory = mkdtempSync(join(tmpdir(), 'machinist-embedded-'))
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

interface Started {
  readonly child: ChildProcess
  readonly kubeconfig: string
}

/** Starts the command and waits until it names its kubeconfig. */
async function started(...args: string[]): Promise<Started> {
  const child = spawn(machinist, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let said = ''
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints += String(chunk)))
  for await (const chunk of child.stdout) {
    said += String(chunk)
    const kubeconfig = /(?:kubeconfig |KUBECONFIG=)(\S+)/.exec(said)?.[1]
    if (kubeconfig !== undefined) return { child, kubeconfig }
  }
  throw new Error(`it ended before it was ready: ${complaints}`)
}

async function stopped({ child }: Started, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit')
  child.kill(signal)
  const [code] = (await exit) as [number | null]
  running.delete(child)
  return code
}

describe('machinist apiserver', () => {
  const data = join(directory, 'data')
  const args = ['apiserver', '--data', data, '--listen', '127.0.0.1:0']

  it('serves, keeps what it acknowledged, and ends cleanly', { timeout: 60_000 }, async () => {
    const first = await started(...args)
    expect(first.kubeconfig).toBe(join(data, 'kubeconfig'))
    expect(statSync(first.kubeconfig).mode & 0o777).toBe(0o600)
    const metadata = { namespace: 'default', name: 'kept' }
    const client = await clientFrom(first.kubeconfig)
    await client.create(configMaps, { metadata, data: { answer: '42' } })
    expect(await stopped(first, 'SIGTERM')).toBe(0)

    const second = await started(...args)
    const again = await clientFrom(second.kubeconfig)
    expect(await again.get(configMaps, metadata)).toMatchObject({ data: { answer: '42' } })
    const rival = spawnSync(machinist, args, { encoding: 'utf8' })
    expect(rival.status).toBe(1)
    expect(rival.stderr).toContain(data)
    expect(await stopped(second, 'SIGINT')).toBe(0)
  })

  it('asks for a data directory, and for an address that is one', () => {
    const without = spawnSync(machinist, ['apiserver'], { encoding: 'utf8' })
    expect(without.status).toBe(2)
    const wrong = spawnSync(machinist, [...args.slice(0, -1), 'nonsense'], { encoding: 'utf8' })
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('127.0.0.1:6443')
  })
})

describe('machinist up', () => {
  it('has our kinds, the first time and every other', { timeout: 60_000 }, async () => {
    const data = join(directory, 'up')
    const first = await started('up', '--data', data)
    const client = await clientFrom(first.kubeconfig)
    await client.create(machineConfigPools, { metadata: { name: 'worker' }, spec: {} })
    expect(await stopped(first, 'SIGINT')).toBe(0)
    const second = await started('up', '--data', data)
    const again = await clientFrom(second.kubeconfig)
    const { items } = await again.list(machineConfigPools)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['worker'])
    expect(await stopped(second, 'SIGINT')).toBe(0)
  })
})
