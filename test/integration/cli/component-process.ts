import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { namespaces } from '@machinist/kube/kinds/core'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'

const machinist = join(import.meta.dirname, '../../../bin/machinist')

/** A cluster for one component of the command line. */
export interface ComponentCluster extends AsyncDisposable {
  readonly client: KubeClient
  /** Starts the component and resolves when it is ready. */
  readonly start: (command: string, ...args: string[]) => Promise<RunningComponent>
}

export interface RunningComponent {
  readonly child: ChildProcess
  /** Its identity in the Lease. */
  readonly identity: string
  /** The text of one of its pages. */
  readonly page: (path: string) => Promise<string>
}

export async function startComponentCluster(
  ...withNamespaces: string[]
): Promise<ComponentCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-component-'))
  const children = new ChildProcesses(directory)
  const server = await startServer()
  await installDefinitions(server.client)
  for (const name of withNamespaces) await server.client.create(namespaces, { metadata: { name } })
  const kubeconfig = join(directory, 'kubeconfig')
  writeFileSync(
    kubeconfig,
    toYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: server.url } }],
      users: [{ name: 'a', user: { token: 'administrators-token' } }],
    }),
  )
  return {
    client: server.client,
    async start(command, ...args) {
      const child = children.start(command, machinist, [
        command,
        `--kubeconfig=${kubeconfig}`,
        '--lease-seconds=5',
        '--health-listen=127.0.0.1:0',
        '--metrics-listen=127.0.0.1:0',
        ...args,
      ])
      const output = (): string => readFileSync(join(directory, `${command}.log`), 'utf8')
      const ready = /ready: \w+ of version \S+ as ([^\s,]+), (\S+)/
      await until('it has started', () => {
        if (child.exitCode !== null) throw new Error(children.logTail(command))
        return ready.test(output())
      })
      const [, identity = '', pages] = ready.exec(output())!
      const answerOf = (path: string): Promise<Response> => fetch(new URL(path, pages))
      await until('it is ready', async () => (await answerOf('/readyz')).status === 200)
      return { child, identity, page: async (path) => (await answerOf(path)).text() }
    },
    async [Symbol.asyncDispose]() {
      await children.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}
