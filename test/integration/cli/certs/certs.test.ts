import { startServer } from '@machinist/apiserver/running-server.fixture'
import { expect, it } from 'vitest'
import { readCluster } from '../../../../src/cli/commands/certs/read-cluster.ts'
import { certsCases } from './cases.ts'

const kubeconfig = (server: string, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: { token } }],
  })

certsCases(async () => {
  const server = await startServer()
  return {
    client: server.client,
    kubeconfig: kubeconfig(server.url, 'administrators-token'),
    nobody: kubeconfig(server.url, 'nobodys-token'),
    stop: async () => server[Symbol.asyncDispose](),
  }
})

it('a cluster without the kinds of Machinist is not an error', async () => {
  await using server = await startServer()
  const { unread, secrets, bundles } = await readCluster(server.client, 0)
  expect(unread).toEqual([
    'ControllerConfig: not found in this cluster',
    'MachineConfigPools: not found in this cluster',
    'NodeTrusts: not found in this cluster',
  ])
  expect([secrets, bundles]).toEqual([[], []])
})
