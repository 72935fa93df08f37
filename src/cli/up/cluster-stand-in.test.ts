import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../../test/apiserver/http/running-server.ts'
import type { RunningServer } from '../../../test/apiserver/http/running-server.ts'
import { installDefinitions } from '../../../test/controllers/render/world.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { systemClock } from '../../base/clock.ts'
import type { KubeClient } from '../../kube/client.ts'
import { configMaps, secrets } from '../../kube/kinds/core.ts'
import { mergePatch } from '../../kube/patch.ts'
import { readBundle } from '../../pki/bundle.ts'
import { parseSize } from './cluster-size.ts'
import { standInForCluster } from './cluster-stand-in.ts'

let server: RunningServer
let client: KubeClient
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
})
afterAll(() => server[Symbol.asyncDispose]())

const start = (nodes: string): Promise<void> =>
  standInForCluster({ client, clock: systemClock, apiCA: 'the API’s own CA' }, parseSize(nodes))

const textOf = async (namespace: string, name: string, key: string): Promise<string> =>
  (await client.get(configMaps, { namespace, name })).data?.[key] ?? ''

const namesIn = (pem: string): (string | undefined)[] =>
  [...readBundle(pem).bundle.values()].map(({ commonName }) => commonName)

describe('a cluster of our own', () => {
  it('has at its first start what an installer leaves', async () => {
    await start('1,infra=0')
    const managed = 'openshift-config-managed'
    const trusted = await textOf(managed, 'kube-apiserver-client-ca', 'ca-bundle.crt')
    expect(namesIn(trusted)).toEqual(['kube-apiserver-to-kubelet-signer@1'])
    expect(namesIn(await textOf('kube-system', 'root-ca', 'ca.crt'))).toEqual(['root-ca'])
    expect(await textOf(managed, 'kube-apiserver-server-ca', 'ca-bundle.crt')).toBe(
      'the API’s own CA',
    )
    expect(await textOf('kube-system', 'bootstrap', 'status')).toBe('complete')
    const signer = await client.get(secrets, {
      namespace: 'openshift-kube-apiserver-operator',
      name: 'kube-apiserver-to-kubelet-signer',
    })
    expect(Buffer.from(signer.data!['tls.crt']!, 'base64').toString()).toBe(trusted)
    expect(signer.metadata.annotations).toMatchObject({
      'auth.openshift.io/certificate-issuer': 'kube-apiserver-to-kubelet-signer@1',
      'auth.openshift.io/certificate-not-after': expect.stringMatching(
        /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/,
      ) as string,
    })
    const pull = { namespace: 'openshift-config', name: 'pull-secret' }
    expect((await client.get(secrets, pull)).type).toBe('kubernetes.io/dockerconfigjson')
    // The operator makes the built-in ones.
    const { items } = await client.list(machineConfigPools)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['infra'])
  })

  it('keeps what became of that, and grows', async () => {
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const infrastructure = await textOf(facts.namespace, facts.name, 'infrastructure')
    expect(infrastructure).toContain('controlPlaneTopology: SingleReplica\n')
    const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
    await client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': 'mine' } }))
    await client.remove(configMaps, { namespace: 'kube-system', name: 'root-ca' })
    await start('1,1,infra=1')
    expect(await textOf(source.namespace, source.name, 'ca-bundle.crt')).toBe('mine')
    const { items } = await client.list(configMaps, { namespace: 'kube-system' })
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('root-ca')
    expect(await textOf(facts.namespace, facts.name, 'infrastructure')).toBe(
      infrastructure.replace('SingleReplica', 'HighlyAvailable'),
    )

    const broken = mergePatch({ data: { infrastructure: '{' } })
    await client.patch(configMaps, facts, broken)
    await start('1')
    expect(await textOf(facts.namespace, facts.name, 'infrastructure')).toBe('{')
  })
})
