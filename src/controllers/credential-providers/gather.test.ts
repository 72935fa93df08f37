import { expect, it } from 'vitest'
import { stillCache } from '../still-cache.fixture.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { ProviderBase } from './facts.ts'
import { gather } from './gather.ts'

const role = 'machineconfiguration.openshift.io/role'
const worker: MachineConfigPool = {
  metadata: { name: 'worker' },
  spec: { machineConfigSelector: { matchLabels: { [role]: 'worker' } } },
}
const controllerConfig = {
  metadata: {
    name: 'machine-config-controller',
    annotations: { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' },
  },
  spec: {},
  status: { conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }] },
} as unknown as ControllerConfig

/** The base of the worker pool, given the spec of the MachineConfig of the templates. */
function baseFrom(spec: NonNullable<MachineConfig['spec']>): ProviderBase | undefined {
  const caches = {
    pools: stillCache(worker),
    machineConfigs: stillCache<MachineConfig>({ metadata: { name: '01-worker-kubelet' }, spec }),
    controllerConfigs: stillCache(controllerConfig),
    credentialProviderConfigs: stillCache({
      metadata: { name: 'cluster' },
      spec: { matchImages: ['quay.io'] },
    }),
    lostKinds: () => [],
  }
  return gather(caches, { version: '1.2.3', build: 'b' }).bases.get('worker')
}

it('finds the file of the cloud, if there is one', () => {
  const path = '/etc/kubernetes/credential-providers/gcr-credential-provider.yaml'
  const text = 'providers: [{name: gcr-credential-provider, matchImages: [gcr.io]}]'
  const providers = [{ name: 'gcr-credential-provider', matchImages: ['gcr.io'] }]
  const other = { path: '/etc/kubernetes/kubelet.conf', text: '{}' }
  expect(baseFrom(filesSpec([other, { path, text }]))).toEqual({
    file: { path, config: { providers } },
  })
  expect(baseFrom(filesSpec([other]))).toEqual({ file: undefined })
})

it('reports an unreadable file', () => {
  expect(baseFrom({ config: { ignition: { version: '99.0.0' } } })).toEqual({
    unreadable: 'MachineConfig 01-worker-kubelet has an invalid spec.config',
  })
})
