import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { names } from '../names.ts'
import { machineConfigurations } from '../resources.ts'
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
  'Changes that are let through although existing nodes cannot take them over.',
  {
    storage: array(
      'Parts of the storage section.',
      oneOf('A part.', ['Disks', 'FileSystems', 'Raid']),
      {
        set: true,
        minItems: 1,
        maxItems: 3,
      },
    ),
  },
  { minProperties: 1 },
)

const spec = object('How the operator shall behave.', {
  managementState: string('Managed, Unmanaged, Force or Removed.', {
    pattern: '^(Managed|Unmanaged|Force|Removed)$',
  }),
  logLevel: logLevel('How much the components log.'),
  operatorLogLevel: logLevel('How much the operator logs.'),
  nodeDisruptionPolicy,
  managedBootImages,
  bootImageSkewEnforcement,
  irreconcilableValidationOverrides,
  failedRevisionLimit: integer('Not used; kept for compatibility.'),
  succeededRevisionLimit: integer('Not used; kept for compatibility.'),
  forceRedeploymentReason: string('Not used; kept for compatibility.'),
  observedConfig: nullable(anything('Not used; kept for compatibility.')),
  unsupportedConfigOverrides: nullable(anything('Not used; kept for compatibility.')),
})

const status = object('What the operator made of it.', {
  observedGeneration: integer('The generation of the spec that this tells about.', {
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
  'Knobs of the operator itself. There is one, named cluster.',
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
