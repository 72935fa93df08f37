import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import { until } from '@machinist/testing/until'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'

const machinist = join(import.meta.dirname, '../../../bin/machinist')
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
  let output = ''
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  for await (const chunk of child.stdout) {
    output += String(chunk)
    const kubeconfig = /(?:kubeconfig |KUBECONFIG=)(\S+)/.exec(output)?.[1]
    if (kubeconfig !== undefined) return { child, kubeconfig }
  }
  throw new Error(`the command ended before it was ready: ${errors}`)
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

  it('serves, keeps acknowledged writes, and ends cleanly', { timeout: 60_000 }, async () => {
    const first = await started(...args)
    expect(first.kubeconfig).toBe(join(data, 'kubeconfig'))
    expect(statSync(first.kubeconfig).mode & 0o777).toBe(0o600)
    const metadata = { namespace: 'default', name: 'kept' }
    const client = await clientFrom(first.kubeconfig)
    await client.create(configMaps, { metadata, data: { answer: '42' } })
    expect(await stopped(first, 'SIGTERM')).toBe(0)

    const auditLog = join(directory, 'audit.log')
    const second = await started(...args, '--audit-log', auditLog)
    const again = await clientFrom(second.kubeconfig)
    expect(await again.get(configMaps, metadata)).toMatchObject({ data: { answer: '42' } })
    const rival = spawnSync(machinist, args, { encoding: 'utf8' })
    expect(rival.status).toBe(1)
    expect(rival.stderr).toContain(data)
    expect(await stopped(second, 'SIGINT')).toBe(0)
    const audited = readFileSync(auditLog, 'utf8').trimEnd().split('\n')
    expect(audited.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        apiVersion: 'audit.k8s.io/v1',
        verb: 'get',
        user: expect.objectContaining({ username: 'admin' }) as unknown,
        objectRef: { resource: 'configmaps', ...metadata, apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 200 },
      }),
    ])
  })

  it('requires a data directory and a valid address', () => {
    const without = spawnSync(machinist, ['apiserver'], { encoding: 'utf8' })
    expect(without.status).toBe(2)
    const wrong = spawnSync(machinist, [...args.slice(0, -1), 'nonsense'], { encoding: 'utf8' })
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('127.0.0.1:6443')
  })
})

describe('machinist up', () => {
  it('has the kinds and pools of Machinist, and keeps changes', { timeout: 60_000 }, async () => {
    const args = ['up', '--data', join(directory, 'up'), '--nodes', '1', '--speed', '100']
    const first = await started(...args)
    const client = await clientFrom(first.kubeconfig)
    await until('the pools exist', async () => {
      const { items } = await client.list(machineConfigPools).catch(() => ({ items: [] }))
      return items.length === 2
    })
    await client.patch(
      machineConfigPools,
      { name: 'worker' },
      mergePatch({ spec: { paused: true } }),
    )
    expect(await stopped(first, 'SIGINT')).toBe(0)
    const second = await started(...args)
    const again = await clientFrom(second.kubeconfig)
    expect(await again.get(machineConfigPools, { name: 'worker' })).toMatchObject({
      spec: { paused: true },
    })
    const rival = spawnSync(machinist, args, { encoding: 'utf8' })
    expect(rival.status).toBe(1)
    expect(rival.stderr).toContain(join(directory, 'up'))
    expect(await stopped(second, 'SIGTERM')).toBe(0)
  })

  it('requires valid node counts', () => {
    const wrong = spawnSync(machinist, ['up', '--data', directory, '--nodes', 'all'], {
      encoding: 'utf8',
    })
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toBe(
      'machinist: --nodes: "all" is not a number of nodes: use a list such as 3,4,infra=2 (control plane, workers, custom pools by name) (see machinist up --help)\n',
    )
  })
})

describe.each(['controller', 'operator'])('machinist %s', (command) => {
  it('reports invalid arguments and a missing kubeconfig', () => {
    const run = (...more: string[]): { status: number | null; stderr: string } =>
      spawnSync(machinist, [command, ...more], { encoding: 'utf8' })
    const wrong = run('--lease-seconds', '1')
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('Expected a number of seconds, at least 3.')
    expect(run('--kubeconfig', join(directory, 'nowhere'))).toMatchObject({
      status: 1,
      stderr: `machinist: kubeconfig not found at ${join(directory, 'nowhere')}: check the path\n`,
    })
  })
})
