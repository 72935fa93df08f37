import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { systemClock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { installDefinitions } from '../../api/definitions/definitions.fixture.ts'
import { machineConfigPools, trustRotations } from '../../api/kinds/resources.ts'
import { parseSize } from '../size/cluster-size.ts'
import { createClusterObjects } from './cluster-stand-in.ts'
import { completeInstallation } from './trust-sources.ts'

let server: RunningServer
let client: KubeClient
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
})
afterAll(() => server[Symbol.asyncDispose]())

const validity = validFor(systemClock, 86_400_000)
const authority = await createAuthority({ name: 'machinist', validity })

const start = (nodes: string): Promise<void> =>
  createClusterObjects(
    { client, clock: systemClock, authority, hostnames: ['127.0.0.1'], speed: 1 },
    parseSize(nodes),
  )

const textOf = async (namespace: string, name: string, key: string): Promise<string> =>
  (await client.get(configMaps, { namespace, name })).data?.[key] ?? ''

const namesIn = (pem: string): (string | undefined)[] =>
  [...readBundle(pem).bundle.values()].map(({ commonName }) => commonName)

describe('the objects of a cluster', () => {
  it('include those of an installer at the first start', async () => {
    await start('1,infra=0')
    expect(namesIn(await textOf('kube-system', 'root-ca', 'ca.crt'))).toEqual(['root-ca'])
    const pull = { namespace: 'openshift-config', name: 'pull-secret' }
    expect((await client.get(secrets, pull)).type).toBe('kubernetes.io/dockerconfigjson')
    // The signer creates the rest, which completes the installation.
    const { items: marks } = await client.list(configMaps, { namespace: 'kube-system' })
    expect(marks.map(({ metadata }) => metadata.name)).not.toContain('bootstrap')
    await completeInstallation(client)
    expect(await textOf('kube-system', 'bootstrap', 'status')).toBe('complete')
    // The operator creates the built-in pools.
    const { items } = await client.list(machineConfigPools)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['infra'])
  })

  it('keep changes, and grow with the cluster', async () => {
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const infrastructure = await textOf(facts.namespace, facts.name, 'infrastructure')
    expect(infrastructure).toContain('controlPlaneTopology: SingleReplica\n')
    await client.remove(trustRotations, { name: 'kube-apiserver-serving' })
    await client.remove(configMaps, { namespace: 'kube-system', name: 'root-ca' })
    await start('1,1,infra=1')
    const { items: rotations } = await client.list(trustRotations)
    expect(rotations.map(({ metadata }) => metadata.name)).toEqual(['kube-apiserver-to-kubelet'])
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

  it('set the delivery of certificates if requested, and only at first', async () => {
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const delivery = (): Promise<string> =>
      textOf(facts.namespace, facts.name, 'certificateDelivery')
    expect(await delivery()).toBe('')
    const options = { client, clock: systemClock, authority, hostnames: ['127.0.0.1'], speed: 1 }
    await createClusterObjects({ ...options, delivery: 'rendered' }, parseSize('1'))
    expect(await delivery()).toBe('')
    await client.remove(configMaps, facts)
    await createClusterObjects({ ...options, delivery: 'rendered' }, parseSize('1'))
    expect(await delivery()).toBe('rendered')
  })
})
