import { expect, it } from 'vitest'
import { stillCache } from '../still-cache.fixture.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import { apiServers } from '../../api/openshift-config.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { isLayer } from './layers.ts'
import { roleFacts } from './role-facts.ts'

const path = '/etc/kubernetes/kubelet.conf'
const generated = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'b' }
const machineConfig = (name: string, text?: string, annotations = {}): MachineConfig => ({
  metadata: { name, annotations },
  spec: { ...filesSpec(text === undefined ? [] : [{ path, text }]), kernelArguments: ['a=1'] },
})
const base = machineConfig('01-worker-kubelet', 'maxPods: 1\n')

function gathered(...machineConfigs: MachineConfig[]) {
  const controllerConfig = {
    metadata: {
      name: 'machine-config-controller',
      annotations: { 'machineconfiguration.openshift.io/release-image-version': '4.16.0' },
    },
  } as unknown as ControllerConfig
  const node: NodeConfig = { metadata: { name: 'cluster' }, spec: {} }
  const other: FeatureGate = { metadata: { name: 'other' }, spec: {} }
  return roleFacts('worker', base, {
    machineConfigs: stillCache(...machineConfigs),
    controllerConfigs: stillCache(controllerConfig),
    nodeConfigs: stillCache(node),
    featureGates: stillCache(other),
    apiServers: stillCache<APIServer>(),
    lostKinds: () => [apiServers],
  })
}

it('gathers the kubelet settings of a role', () => {
  const layer = machineConfig('97-worker-generated-kubelet', 'maxPods: 2\n', generated)
  expect(gathered(layer)).toEqual({
    role: 'worker',
    base: { maxPods: 1 },
    node: { metadata: { name: 'cluster' }, spec: {} },
    featureGate: undefined,
    apiServer: undefined,
    release: '4.16.0',
    lost: new Set(['APIServer']),
    stored: { node: { conf: { maxPods: 2 }, kernelArguments: ['a=1'] }, features: undefined },
  })
})

it.each<[string, MachineConfig]>([
  ["a user's", machineConfig('98-worker-generated-kubelet', 'maxPods: 2\n')],
  ['unreadable', machineConfig('98-worker-generated-kubelet', '- a\n', generated)],
  ['of another role', machineConfig('98-master-generated-kubelet', 'maxPods: 2\n', generated)],
])('ignores a layer that is %s', (_, layer) => {
  expect(gathered(layer).stored).toEqual({ node: undefined, features: undefined })
})

it('requires kubelet.conf in the templates', () => {
  const caches = {
    machineConfigs: stillCache(),
    controllerConfigs: stillCache(),
    nodeConfigs: stillCache(),
  }
  const none = { ...caches, featureGates: stillCache(), apiServers: stillCache() }
  expect(() => roleFacts('worker', machineConfig('01-worker-kubelet'), none as never)).toThrow(
    'MachineConfig 01-worker-kubelet has no kubelet.conf',
  )
})

it.each([
  ['97-worker-generated-kubelet', true],
  ['98-infra-generated-kubelet', true],
  ['98-worker-5f4dcc3b-kubelet', true],
  ['99-worker-generated-kubelet', false],
  ['01-worker-kubelet', false],
  ['97-worker-mine', false],
])('%s is the name of a layer: %s', (name, is) => {
  expect(isLayer(name)).toBe(is)
})
