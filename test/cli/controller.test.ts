import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { toYaml } from '../../src/base/yaml.ts'
import { ChildProcesses } from '../support/child-processes.ts'
import { until } from '../support/until.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const directory = mkdtempSync(join(tmpdir(), 'machinist-controller-'))
const children = new ChildProcesses(directory)
afterAll(() => children.stop())

const kubeconfig = join(directory, 'nowhere')
writeFileSync(
  kubeconfig,
  toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    // Nobody listens there.
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { token: 'x' } }],
  }),
)

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit')
  return child.exitCode
}

describe('machinist controller', { timeout: 60_000 }, () => {
  it('tries again and again while it cannot reach its cluster, until it is told to stop', async () => {
    const args = ['controller', `--kubeconfig=${kubeconfig}`, '--lease-seconds=3']
    const child = children.start('controller', machinist, args)
    const log = (): string => readFileSync(join(directory, 'controller.log'), 'utf8')
    const tries = (): number => log().split('"cannot get the lease"').length - 1
    await until('it has tried again', () => child.exitCode !== null || tries() > 1)
    expect(tries()).toBeGreaterThan(1)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  })
})
