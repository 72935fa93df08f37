import { describe, expect, it } from 'vitest'
import { base64, ca } from '@machinist/testing/certificates/certificates'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { authorities, renderedConfig, trustPayloads, workerPool } from '../answer/state.fixture.ts'
import type { ClusterObjects } from './assemble.ts'
import { assembleState } from './assemble.ts'

const controllerConfig = (spec: object = {}): ControllerConfig =>
  ({
    metadata: { name: 'machine-config-controller' },
    spec: {
      ...trustPayloads,
      infra: { status: { apiServerInternalURI: 'https://internal:6443' } },
      ...spec,
    },
  }) as ControllerConfig
const kubeconfigData = {
  metadata: { name: 'kubeconfig-data' },
  data: { 'ca-bundle.crt': authorities.apiServer },
}
const objects: ClusterObjects = {
  pools: [workerPool()],
  controllerConfig: controllerConfig(),
  kubeconfigData,
  osConfigs: [],
  osBuilds: [],
  image: undefined,
  apiServerUrl: undefined,
}
const configs = new Map([['rendered-worker-1', renderedConfig()]])

describe('the image of the daemon for the first boot', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['registry.example/machinist-daemon:0.1.0', 'registry.example/machinist-daemon:0.1.0'],
    ['[fd00::1]:5000/a/b@sha256:00ff', '[fd00::1]:5000/a/b@sha256:00ff'],
    // It would set another variable of the unit.
    ['image\nLD_PRELOAD=/tmp/x', undefined],
    ['image $(reboot)', undefined],
  ])('%j is %j', (machinistDaemon, expected) => {
    const given = controllerConfig({ images: { machinistDaemon } })
    const state = assembleState({ ...objects, controllerConfig: given }, configs, undefined)
    expect(state.daemonImage).toBe(expected)
  })
})

describe('the kubeconfig of new machines', () => {
  const kubeconfigOf = (more: Partial<ClusterObjects>): unknown =>
    assembleState({ ...objects, ...more }, configs, undefined).kubeconfig

  it('has the internal URL and the CAs of kubeconfig-data', () => {
    expect(kubeconfigOf({})).toEqual({
      type: 'credential',
      server: 'https://internal:6443',
      authorities: authorities.apiServer,
    })
  })

  it('has the given URL', () => {
    expect(kubeconfigOf({ apiServerUrl: 'https://given' })).toMatchObject({
      server: 'https://given',
    })
  })

  it('has the valid CAs of kubeconfig-data, old and new', async () => {
    const next = await ca('next')
    const text = `${authorities.apiServer}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${next}`
    const given = { ...kubeconfigData, data: { 'ca-bundle.crt': text } }
    expect(kubeconfigOf({ kubeconfigData: given })).toMatchObject({
      authorities: authorities.apiServer + next,
    })
  })

  it.each([
    ['is absent', undefined],
    ['has no certificate', { ...kubeconfigData, data: { 'ca-bundle.crt': 'x' } }],
  ])('has the CAs of the ControllerConfig if kubeconfig-data %s', (_, given) => {
    expect(kubeconfigOf({ kubeconfigData: given })).toMatchObject({
      authorities: authorities.kubelet,
    })
  })

  it.each([
    ['no ControllerConfig', undefined],
    ['an empty one', controllerConfig({ kubeAPIServerServingCAData: null, infra: null })],
    ['an invalid CA', controllerConfig({ kubeAPIServerServingCAData: base64('x'), infra: {} })],
  ])('has no URL and no CAs with %s', (_, given) => {
    expect(kubeconfigOf({ kubeconfigData: undefined, controllerConfig: given })).toEqual({
      type: 'credential',
      server: undefined,
      authorities: undefined,
    })
  })
})

describe('the registries of the cluster', () => {
  it('are those of the Image object', () => {
    const image = {
      metadata: { name: 'cluster' },
      spec: {},
      status: { internalRegistryHostname: 'a:5000', externalRegistryHostnames: ['b', ''] },
    }
    expect(assembleState({ ...objects, image }, configs, undefined).images).toEqual({
      osConfigs: [],
      osBuilds: [],
      internalRegistries: ['a:5000', 'b'],
    })
  })
})

describe('equal parts', () => {
  const before = assembleState(objects, configs, undefined)

  it('are the same objects, also if their sources are new objects', () => {
    const again = {
      ...objects,
      controllerConfig: controllerConfig({ clusterDNSIP: 'x' }),
      osConfigs: [],
    }
    const after = assembleState(again, configs, before)
    expect(after.trust).toBe(before.trust)
    expect(after.kubeconfig).toBe(before.kubeconfig)
    expect(after.images).toBe(before.images)
  })

  it('are new objects if they differ', () => {
    const other = {
      ...objects,
      controllerConfig: controllerConfig({ cloudProviderCAData: null }),
      apiServerUrl: 'https://other',
      image: {
        metadata: { name: 'cluster' },
        spec: {},
        status: { internalRegistryHostname: 'a' },
      },
    }
    const after = assembleState(other, configs, before)
    expect(after.trust).not.toBe(before.trust)
    expect(after.kubeconfig).not.toBe(before.kubeconfig)
    expect(after.images).not.toBe(before.images)
  })
})

describe('a pool', () => {
  const next: MachineConfigPool = workerPool({
    spec: { configuration: { name: 'rendered-worker-2' } },
  })
  const poolAfter = (pool: MachineConfigPool, known = configs): unknown => {
    const before = assembleState(objects, configs, undefined)
    return assembleState({ ...objects, pools: [pool] }, known, before).pools.get('worker')
  }

  it('keeps its last config while the next one is not known', () => {
    expect(poolAfter(next)).toBe(objects.pools[0])
  })

  it('changes when the next config is known', () => {
    const both = new Map([...configs, ['rendered-worker-2', renderedConfig()]])
    expect(poolAfter(next, both)).toBe(next)
  })

  it('changes if it has no config any more', () => {
    const empty = workerPool({ spec: {}, status: {} })
    expect(poolAfter(empty)).toBe(empty)
  })

  it('that is new is part of the state before its config is known', () => {
    expect(assembleState(objects, new Map(), undefined).pools.get('worker')).toBe(objects.pools[0])
  })
})
