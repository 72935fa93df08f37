import { ignoreNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { apply, mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { controllerConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { fingerprintsDigest } from '../../../src/api/trust/digests.ts'
import type { DaemonOptions } from '../../../src/daemon/daemon.ts'
import { Machine } from '../daemon/cluster/machine.ts'
import { config } from '../daemon/follow/facts.ts'
import { base64, bundle } from '../daemon/trust/certificates.ts'
import { kubeconfig } from '../daemon/trust/kubelet-node.ts'
import { runKubeletTurns } from '../../support/kubelet-turns.ts'
import { clientAs } from './scenario.ts'
import { namespace } from './identities.ts'
import { formatRequest } from './recorded-request.ts'
import type { Stage } from './stage.ts'

interface Restarted {
  readonly actions: Machine['host']['actions']
  /** Rejected requests of all users. */
  readonly refused: readonly string[]
}

type Credentials = Pick<DaemonOptions, 'client' | 'nodeClient'>

/** Delivers a new CA of the API server, and waits until the daemon has restarted the kubelet with a node's credentials only. */
export async function newCAIsLoaded(
  stage: Stage,
  node: string,
  credentials: Credentials,
): Promise<Restarted> {
  const before = stage.recorded().length
  const machine = await nodeWith(stage, node, credentials)
  const stop = new AbortController()
  const turns = runKubeletTurns(clientAs(stage, 'operator'), stop.signal)
  machine.start()
  await machine.until('the kubelet has loaded the new CA', async () => {
    const trust = await ignoreNotFound(stage.client.get(nodeTrusts, { name: node }))
    const item = trust?.status?.items?.find(({ name }) => name === 'api-server-ca')
    return item?.state === 'Current' && item.loadedAt !== undefined
  })
  await machine.until('the turn is returned', async () => {
    const { spec, status } = await stage.client.get(nodeTrusts, { name: node })
    return spec?.kubeletRestart === undefined && status?.kubeletRestart === undefined
  })
  await machine.stop()
  stop.abort()
  await turns
  const sent = stage.recorded().slice(before)
  return {
    actions: machine.host.actions,
    refused: sent.filter(({ code }) => code === 403).map(formatRequest),
  }
}

async function nodeWith(stage: Stage, name: string, credentials: Credentials): Promise<Machine> {
  const { client } = stage
  const pem = await bundle('a', 'b')
  const digest = fingerprintsDigest(readBundle(pem).bundle.keys())
  const data = { namespace, name: 'kubeconfig-data' }
  const binaryData = { 'ca-bundle.crt': base64(pem) }
  const given: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: data, binaryData }
  await client.patch(configMaps, data, apply(given, { fieldManager: 'test', force: true }))
  const digests = JSON.stringify({ 'api-server-ca': digest })
  const annotations = { 'machinist.dev/trust-digests': digests }
  await client.patch(
    controllerConfigs,
    { name: 'machine-config-controller' },
    mergePatch({ metadata: { annotations } }),
  )
  const machine = new Machine(client, name, { ...credentials, rules: 'policy', trustJitterMs: 0 })
  const first = config(`of-${name}`)
  await machine.make(first)
  await machine.joined(first)
  for (const path of [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]) {
    await machine.put(path, kubeconfig(await bundle('a')))
  }
  await machine.put('/etc/systemd/system/kubelet.service', '[Service]\n')
  return machine
}
