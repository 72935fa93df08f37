import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'

const machinist = join(import.meta.dirname, '../../../bin/machinist')
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
    // Nothing listens there.
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { token: 'x' } }],
  }),
)

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit')
  return child.exitCode
}

describe.each(['controller', 'operator', 'signer'])(
  'machinist %s',
  { timeout: 60_000 },
  (command) => {
    it('retries while it cannot reach its cluster, until it is stopped', async () => {
      const args = [command, `--kubeconfig=${kubeconfig}`, '--lease-seconds=3']
      const child = children.start(command, machinist, args)
      const log = (): string => readFileSync(join(directory, `${command}.log`), 'utf8')
      const tries = (): number => log().split('"cannot acquire the lease"').length - 1
      await until('it has retried', () => child.exitCode !== null || tries() > 1)
      expect(tries()).toBeGreaterThan(1)
      child.kill('SIGTERM')
      expect(await ended(child)).toBe(0)
    })

    it('fails if it cannot serve its pages', async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = taken.address() as AddressInfo
      const pages = ['--metrics-listen=127.0.0.1:0', `--health-listen=127.0.0.1:${port}`]
      const name = `${command}-taken`
      const child = children.start(name, machinist, [
        command,
        `--kubeconfig=${kubeconfig}`,
        ...pages,
      ])
      expect(await ended(child)).toBe(1)
      expect(children.logTail(name)).toContain(`127.0.0.1:${port}`)
      taken.close()
    })
  },
)

describe('machinist up', { timeout: 60_000 }, () => {
  it('reports invalid node counts', async () => {
    const child = children.start('nodes', machinist, ['up', '--nodes=many'])
    expect(await ended(child)).toBe(2)
    expect(children.logTail('nodes')).toContain('many')
  })

  it('reports that it cannot write its log', async () => {
    const data = join(directory, 'data')
    mkdirSync(join(data, 'up.log'), { recursive: true })
    const child = children.start('log', machinist, ['up', `--data=${data}`])
    expect(await ended(child)).toBe(1)
    expect(children.logTail('log')).toMatch(/^machinist: cannot write the log: EISDIR.*$/)
  })
})
