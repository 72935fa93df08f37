import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { systemClock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readCertificate } from '@machinist/pki/certificate'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { installDefinitions } from '../../api/definitions/definitions.fixture.ts'
import {
  machineConfigPools,
  machineConfigs,
  nodeTrusts,
  trustRotations,
} from '../../api/kinds/resources.ts'
import type { ComparedAuthority, ComparedPool } from '../../views/compare/facts.ts'
import { ClusterInspection } from './cluster-inspection.ts'
import { Disruptions } from './disruptions.ts'
import { NodeDisks } from './node-disks.ts'
import { currentAuthority, setNodeSettle, findSignerRotation, removeAnnotation } from './signer.ts'

const disks = mkdtempSync(join(tmpdir(), 'machinist-look-'))
const validity = validFor(systemClock, 86_400_000)
const pair = await createAuthority({ name: 'signer@2', validity })
const certificate = readCertificate(pair.certificate)
const authority: ComparedAuthority = {
  commonName: 'signer@2',
  fingerprint: certificate.fingerprint,
}
const pools: readonly ComparedPool[] = [
  { name: 'worker', nodes: ['worker-0'], paused: false },
  { name: 'infra', nodes: ['infra-0'], paused: true },
]

let server: RunningServer
let client: KubeClient
let look: ClusterInspection
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
  look = new ClusterInspection(client, new NodeDisks(disks), pools)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(disks, { recursive: true, force: true })
})

function put(node: string, path: string, text: string): void {
  const place = join(disks, node, path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, text)
}

const kubeletCA = '/etc/kubernetes/kubelet-ca.crt'
const journal = '/var/log/machinist-sandbox.log'

describe('the inspection of a cluster', () => {
  it('reports whether all nodes of pools run the newest config', async () => {
    const [worker] = pools
    expect(await look.areUpdated([worker!])).toBe(false)
    const spec = { configuration: { name: 'rendered-worker-1' } }
    await client.create(machineConfigPools, { metadata: { name: 'worker' }, spec })
    const status = {
      configuration: { name: 'rendered-worker-1' },
      machineCount: 1,
      updatedMachineCount: 1,
      conditions: [{ type: 'Updated', status: 'True' }],
    }
    const say = (change: object): Promise<unknown> =>
      client.patch(
        machineConfigPools,
        { name: 'worker' },
        mergePatch({ status: { ...status, ...change } }),
        { subresource: 'status' },
      )
    for (const [change, expected] of [
      [{}, true],
      [{ updatedMachineCount: 0 }, false],
      [{ conditions: [{ type: 'Updated', status: 'False' }] }, false],
      [{ configuration: { name: 'rendered-worker-0' } }, false],
    ] as const) {
      await say(change)
      expect(await look.areUpdated([worker!])).toBe(expected)
    }
  })

  it('finds rendered configs with their size', async () => {
    const owner = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' }
    const config = {
      ignition: { version: '3.4.0' },
      storage: { files: [{ path: '/a' }, { path: '/b' }] },
      systemd: { units: [{ name: 'a.service' }] },
    }
    await client.create(machineConfigs, { metadata: { name: '00-worker' }, spec: { config } })
    // The garbage collector deletes objects without an owner.
    const { uid = '' } = (await client.get(machineConfigPools, { name: 'worker' })).metadata
    const ownerReferences = [{ ...owner, name: 'worker', uid, controller: true }]
    for (const [name, spec] of [
      ['rendered-worker-1', { config }],
      ['rendered-worker-2', {}],
    ] as const) {
      await client.create(machineConfigs, { metadata: { name, ownerReferences }, spec })
    }
    expect(await look.renderedConfigs()).toEqual([
      { name: 'rendered-worker-1', pool: 'worker', files: 2, units: 1 },
      { name: 'rendered-worker-2', pool: 'worker', files: 0, units: 0 },
    ])
  })

  it('finds nodes that trust a CA, on disk and in their reports', async () => {
    put('worker-0', kubeletCA, pair.certificate)
    put('infra-0', kubeletCA, 'no certificate')
    expect(await look.trusting(pools, authority)).toEqual(['worker-0'])
    expect(await look.trusting([{ ...pools[0]!, nodes: ['not-there-yet'] }], authority)).toEqual([])
    expect(await look.reporting(pools, authority)).toEqual([])
    const { fingerprint } = authority
    const certificate = { fingerprint, subject: 'CN=signer@2', notAfter: '2030-01-01T00:00:00Z' }
    for (const [name, item] of [
      ['infra-0', 'kubelet-client-ca'],
      ['worker-0', 'api-server-ca'],
    ]) {
      await client.create(nodeTrusts, { metadata: { name: name! } })
      const status = { items: [{ name: item, state: 'Current', certificates: [certificate] }] }
      await client.patch(nodeTrusts, { name: name! }, mergePatch({ status }), {
        subresource: 'status',
      })
    }
    expect(await look.reporting(pools, authority)).toEqual(['infra-0'])
  })

  it('compares nodes with their earlier state', async () => {
    put('worker-0', journal, '2026-01-01T00:00:00Z boot 1\n')
    const before = await look.disks()
    put('worker-0', kubeletCA, `${pair.certificate}\n`)
    utimesSync(join(disks, 'worker-0', kubeletCA), 2000, 2000)
    put('worker-0', journal, '2026-01-01T00:00:00Z boot 1\n2026-01-01T00:01:00Z daemon-reload\n')
    const disruptions = new Disruptions({ subscribe: () => () => {} })
    const nothing = { written: [], removed: [], notes: [], cordons: 0, drains: 0 }
    const services = { daemonReloads: 0, services: [], reboots: 0 }
    expect(await look.inspectNodes(before, disruptions, { authority, since: 1_998_500 })).toEqual([
      {
        name: 'worker-0',
        pool: 'worker',
        paused: false,
        trusts: true,
        seconds: 1.5,
        ...nothing,
        written: [kubeletCA],
        services: { ...services, daemonReloads: 1 },
      },
      { name: 'infra-0', pool: 'infra', paused: true, trusts: false, ...nothing, services },
    ])
  })
})

const place = {
  namespace: 'openshift-kube-apiserver-operator',
  name: 'kube-apiserver-to-kubelet-signer',
}

describe('the signer', () => {
  it('has a CA, annotations that can be removed, and a TrustRotation', async () => {
    await client.create(namespaces, { metadata: { name: place.namespace } })
    expect(await currentAuthority(client)).toBeUndefined()
    expect(await findSignerRotation(client)).toBeUndefined()
    const annotation = (name: string): string => `auth.openshift.io/certificate-${name}`
    const names = ['not-after', 'not-before', 'issuer']
    const annotations = Object.fromEntries(names.map((name) => [annotation(name), 'x']))
    const data = { 'tls.crt': Buffer.from(pair.certificate).toString('base64'), 'tls.key': '' }
    const metadata = { ...place, annotations }
    await client.create(secrets, { metadata, type: 'kubernetes.io/tls', data })
    expect(await currentAuthority(client)).toEqual(authority)

    await removeAnnotation(client, 'issuer')
    await removeAnnotation(client, 'notAfter')
    const left = (await client.get(secrets, place)).metadata.annotations
    expect(left).toEqual({ [annotation('not-before')]: 'x' })

    const bundle = { namespace: place.namespace, name: 'bundle' }
    for (const name of ['another', place.name]) {
      const spec = { signer: { ...place, name }, bundle, nodeSettle: '10s' }
      await client.create(trustRotations, { metadata: { name: `rotates-${name}` }, spec })
    }
    const rotation = (await findSignerRotation(client))!
    expect(rotation.metadata.name).toBe('rotates-kube-apiserver-to-kubelet-signer')
    await setNodeSettle(client, rotation, '1h')
    expect((await findSignerRotation(client))?.spec.nodeSettle).toBe('1h')
    await setNodeSettle(client, rotation, rotation.spec.nodeSettle)
    expect((await findSignerRotation(client))?.spec.nodeSettle).toBe('10s')
    await setNodeSettle(client, rotation, undefined)
    expect((await findSignerRotation(client))?.spec).not.toHaveProperty('nodeSettle')
  })
})
