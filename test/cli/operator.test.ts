import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { controllerConfigs } from '../../src/api/resources.ts'
import { toYaml } from '../../src/base/yaml.ts'
import { leases } from '../../src/kube/kinds/coordination.ts'
import { namespaces } from '../../src/kube/kinds/core.ts'
import { isNotFound } from '../../src/kube/failure.ts'
import type { RunningServer } from '../apiserver/http/running-server.ts'
import { startServer } from '../apiserver/http/running-server.ts'
import { installDefinitions } from '../controllers/render/world.ts'
import { ChildProcesses } from '../support/child-processes.ts'
import { until } from '../support/until.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const namespace = 'openshift-machine-config-operator'
const directory = mkdtempSync(join(tmpdir(), 'machinist-operator-'))
const kubeconfig = join(directory, 'kubeconfig')
const children = new ChildProcesses(directory)

let server: RunningServer
beforeAll(async () => {
  server = await startServer()
  await installDefinitions(server.client)
  for (const name of [namespace, 'openshift-config', 'openshift-config-managed']) {
    await server.client.create(namespaces, { metadata: { name } })
  }
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
})
afterAll(async () => {
  await children.stop()
  await server[Symbol.asyncDispose]()
})

it(
  'machinist operator leads, works, says how it is, and ends in order',
  { timeout: 60_000 },
  async () => {
    const { client } = server
    const child = children.start('operator', machinist, [
      'operator',
      `--kubeconfig=${kubeconfig}`,
      '--lease-seconds=5',
      '--health-listen=127.0.0.1:0',
      '--metrics-listen=127.0.0.1:0',
    ])
    const said = (): string => readFileSync(join(directory, 'operator.log'), 'utf8')
    const ready = /ready: operator of version \S+ as ([^\s,]+), (\S+)/
    await until('it has started', () => {
      if (child.exitCode !== null) throw new Error(children.logTail('operator'))
      return ready.test(said())
    })
    const [, identity, pages] = ready.exec(said())!
    const answerOf = async (page: string): Promise<Response> => fetch(new URL(page, pages))
    await until('it is ready', async () => (await answerOf('/readyz')).status === 200)
    const lease = { namespace, name: 'machine-config' }
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe(identity)
    await until('it has made a ControllerConfig', async () => {
      try {
        await client.get(controllerConfigs, { name: 'machine-config-controller' })
        return true
      } catch (error) {
        if (!isNotFound(error)) throw error
        return false
      }
    })
    const numbers = await (await answerOf('/metrics')).text()
    expect(numbers).toContain('machinist_operator_input_degraded{input="network"} 1')

    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe('')
  },
)
