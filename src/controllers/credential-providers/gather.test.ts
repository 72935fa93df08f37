import { expect, it } from 'vitest'
import { stillCache } from '../still-cache.fixture.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { Ground } from './decide.ts'
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

/** What workers have from templates, by the spec of the MachineConfig that these made. */
function groundOn(spec: NonNullable<MachineConfig['spec']>): Ground | undefined {
  const caches = {
    pools: stillCache(worker),
    machineConfigs: stillCache<MachineConfig>({ metadata: { name: '01-worker-kubelet' }, spec }),
    controllerConfigs: stillCache(controllerConfig),
    credentialProviderConfigs: stillCache(),
    lostKinds: () => [],
  }
  const object = { metadata: { name: 'cluster' }, spec: { matchImages: ['quay.io'] } }
  return gather(object, { caches, maker: { version: '1.2.3', build: 'b' } }).grounds.get('worker')
}

it('finds the file of the cloud, or that there is none', () => {
  const path = '/etc/kubernetes/credential-providers/gcr-credential-provider.yaml'
  const text = 'providers: [{name: gcr-credential-provider, matchImages: [gcr.io]}]'
  const providers = [{ name: 'gcr-credential-provider', matchImages: ['gcr.io'] }]
  const other = { path: '/etc/kubernetes/kubelet.conf', text: '{}' }
  expect(groundOn(filesSpec([other, { path, text }]))).toEqual({
    file: { path, config: { providers } },
  })
  expect(groundOn(filesSpec([other]))).toEqual({ file: undefined })
})

it('takes what cannot be read for nothing else', () => {
  expect(groundOn({ config: { ignition: { version: '99.0.0' } } })).toEqual({
    unreadable: 'MachineConfig 01-worker-kubelet has no readable spec.config',
  })
})
