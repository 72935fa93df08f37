import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { names } from '../names.ts'
import { kind } from '../schema/kind.ts'
import {
  anything,
  array,
  integer,
  nullable,
  object,
  oneOf,
  rule,
  string,
} from '../schema/schema.ts'
import { conditions } from '../schema/shapes.ts'
import { machineConfigurations } from './resources.ts'
import {
  bootImageRules,
  bootImageSkewEnforcement,
  bootImageSkewEnforcementStatus,
  managedBootImages,
} from './boot-images.ts'
import { nodeDisruptionPolicy, nodeDisruptionPolicyStatus } from './node-disruption-policy.ts'

const logLevel = (description: string) =>
  oneOf(description, ['', 'Normal', 'Debug', 'Trace', 'TraceAll'], { default: 'Normal' })

const irreconcilableValidationOverrides = object(
  'Changes that are accepted although they cannot be applied to existing nodes. They take effect on new nodes only.',
  {
    storage: array(
      'Sections of spec.config.storage.',
      oneOf('Name of the section.', ['Disks', 'FileSystems', 'Raid']),
      {
        set: true,
        minItems: 1,
        maxItems: 3,
      },
    ),
  },
  { minProperties: 1 },
)

const spec = object('Desired behaviour of the operator.', {
  managementState: string(
    'Whether the operator manages the cluster: Managed, Unmanaged, Force or Removed.',
    {
      pattern: '^(Managed|Unmanaged|Force|Removed)$',
    },
  ),
  logLevel: logLevel('Log level of the components that the operator manages.'),
  operatorLogLevel: logLevel('Log level of the operator.'),
  nodeDisruptionPolicy,
  managedBootImages,
  bootImageSkewEnforcement,
  irreconcilableValidationOverrides,
  failedRevisionLimit: integer('Accepted for compatibility; it has no effect.'),
  succeededRevisionLimit: integer('Accepted for compatibility; it has no effect.'),
  forceRedeploymentReason: string('Accepted for compatibility; it has no effect.'),
  observedConfig: nullable(anything('Accepted for compatibility; it has no effect.')),
  unsupportedConfigOverrides: nullable(anything('Accepted for compatibility; it has no effect.')),
})

const status = object('Observed state.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
    format: 'int64',
  }),
  conditions: conditions(),
  nodeDisruptionPolicyStatus,
  managedBootImagesStatus: managedBootImages,
  bootImageSkewEnforcementStatus,
})

export interface MachineConfigurationSpec extends TypeOf<typeof spec> {}
export interface MachineConfigurationStatus extends TypeOf<typeof status> {}

export interface MachineConfiguration extends KubeObject {
  spec: MachineConfigurationSpec
  status?: MachineConfigurationStatus
}

export const machineConfigurationKind = kind(
  machineConfigurations,
  'MachineConfiguration configures the operator. The only object is named cluster.',
  {
    spec,
    status,
    rules: [
      rule(
        `self.metadata.name == '${names.machineConfiguration}'`,
        'the only allowed name is cluster',
      ),
      ...bootImageRules,
    ],
  },
)
