import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { kind } from '../schema/kind.ts'
import { anything, boolean, integer, object, oneOf } from '../schema/schema.ts'
import { labelSelector, looseConditions } from '../schema/shapes.ts'
import { tlsSecurityProfile } from '../schema/tls-profile.ts'
import { kubeletConfigs } from './resources.ts'
import { nodeSettingsColumns } from './node-settings-columns.ts'

const spec = object('Kubelet settings for the selected pools.', {
  machineConfigPoolSelector: labelSelector(
    'Selects pools by their labels. If not set, the object applies to no pool.',
  ),
  kubeletConfig: anything(
    'Fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1). They override the defaults of the pool.',
  ),
  logLevel: integer('Log verbosity of the kubelet (-v).', { minimum: 0, maximum: 10 }),
  autoSizingReserved: boolean(
    'Whether each node calculates systemReserved from its CPU and memory.',
  ),
  tlsSecurityProfile,
  systemGomaxprocsBehavior: oneOf(
    'Whether system services get a GOMAXPROCS that matches their CPUs. Accepted for compatibility; it has no effect.',
    ['Autosize', 'Disabled'],
  ),
})

const status = object('Observed state.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
    format: 'int64',
  }),
  conditions: looseConditions(),
})

export interface KubeletConfigSpec extends TypeOf<typeof spec> {}
export interface KubeletConfigStatus extends TypeOf<typeof status> {}

export interface KubeletConfig extends KubeObject {
  spec: KubeletConfigSpec
  status?: KubeletConfigStatus
}

export const kubeletConfigKind = kind(
  kubeletConfigs,
  'KubeletConfig changes kubelet settings on the nodes of the selected pools.',
  { columns: nodeSettingsColumns, spec, status },
)
