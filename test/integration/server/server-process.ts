import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import { createCluster } from './cluster-objects.ts'

const machinist = join(import.meta.dirname, '../../../bin/machinist')

/** A cluster, and servers of it as processes. */
export interface ServerCluster extends AsyncDisposable {
  readonly client: KubeClient
  /** Starts `machinist server` and resolves when it is ready. */
  readonly start: (name: string, ...args: string[]) => Promise<ServerProcess>
}

export interface ServerProcess {
  readonly child: ChildProcess
  /** The first listener. */
  readonly url: string
  /** Health and metrics. */
  readonly pages: string
}

export async function startServerCluster(
  config: MachineConfig['spec'] = {},
): Promise<ServerCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-server-'))
  const at = (name: string): string => join(directory, name)
  const children = new ChildProcesses(directory)
  const api = await startServer()
  await createCluster(api.client, config)
  writeFileSync(at('kubeconfig'), kubeconfigFor(api.url))
  const { certificate, key } = createAuthority('machine config server').issueServer()
  writeFileSync(at('tls.crt'), certificate)
  writeFileSync(at('tls.key'), key)
  return {
    client: api.client,
    async start(name, ...args) {
      const child = children.start(name, machinist, [
        'server',
        `--kubeconfig=${at('kubeconfig')}`,
        '--listen=127.0.0.1:0',
        `--tls-cert=${at('tls.crt')}`,
        `--tls-key=${at('tls.key')}`,
        '--health-listen=127.0.0.1:0',
        '--metrics-listen=127.0.0.1:0',
        ...args,
      ])
      const output = (): string => readFileSync(at(`${name}.log`), 'utf8')
      const ready = /^ready: server of version \S+ as [^\s,]+, (\S+)$/m
      const listening = /"serving configs","urls":\["(https:[^"]+)"/
      await until('it has started', () => {
        if (child.exitCode !== null) throw new Error(children.logTail(name))
        return ready.test(output()) && listening.test(output())
      })
      const pages = ready.exec(output())![1]!
      const url = listening.exec(output())![1]!
      const isReady = async () => (await fetch(new URL('/readyz', pages))).status === 200
      await until('it is ready', isReady)
      return { child, url, pages }
    },
    async [Symbol.asyncDispose]() {
      await children.stop()
      await api[Symbol.asyncDispose]()
    },
  }
}

function kubeconfigFor(server: string): string {
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user: { token: 'administrators-token' } }],
  })
}
