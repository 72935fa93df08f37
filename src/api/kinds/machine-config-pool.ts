import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { poolConditions } from '../conditions.ts'
import { ageColumn, conditionColumn, countColumn, kind, textColumn, wide } from '../schema/kind.ts'
import {
  array,
  boolean,
  integer,
  intOrString,
  object,
  oneOf,
  rule,
  string,
  timestamp,
} from '../schema/schema.ts'
import {
  configurationReference,
  labelSelector,
  looseConditions,
  namedReference,
  objectName,
} from '../schema/shapes.ts'
import { machineConfigPools } from './resources.ts'

const osImageStream = namedReference(
  'Stream of OS images that the nodes use.',
  objectName('Name of the stream.', 1),
)

const pinnedImageSet = namedReference(
  'A PinnedImageSet.',
  string('Name of the PinnedImageSet.', {
    minLength: 1,
    maxLength: 253,
    pattern:
      '^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])(\\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9]))*$',
  }),
)

const spec = object('Desired configuration of the pool and its rollout.', {
  machineConfigSelector: labelSelector(
    'Selects MachineConfigs and PinnedImageSets by their labels. If not set, the pool selects none.',
  ),
  nodeSelector: labelSelector('Selects nodes by their labels. If not set, the pool selects none.'),
  paused: boolean('Whether the rollout is paused. While true, no further node starts an update.'),
  maxUnavailable: intOrString(
    'Maximum number of nodes that may be unavailable at the same time: a number, or a percentage of the pool such as "10%". Defaults to 1.',
    {
      rules: [
        rule(
          "type(self) == int ? self >= 0 : self.matches('^(100|[0-9]{1,2})%$')",
          'maxUnavailable must be a number of at least 0, or a percentage from "0%" to "100%"',
        ),
      ],
    },
  ),
  configuration: configurationReference(
    'The rendered MachineConfig to roll out. The render controller sets it.',
  ),
  pinnedImageSets: array('PinnedImageSets whose images are kept on the nodes.', pinnedImageSet, {
    keys: ['name'],
    maxItems: 100,
  }),
  osImageStream,
})

const certificateExpiry = object(
  'Expiry of a certificate that the nodes trust.',
  {
    bundle: string('Name of the bundle that contains the certificate.'),
    subject: string('Subject of the certificate.'),
    expiry: timestamp('End of the validity period.'),
  },
  { required: ['bundle', 'subject'] },
)

const count = (description: string) => integer(description, { format: 'int64', minimum: 0 })
const atMostAll = (counted: string) =>
  rule(`self.machineCount >= self.${counted}`, `${counted} must not be more than machineCount`)

const poolSynchronizer = object(
  'Progress of a distribution to the nodes that is independent of the rendered config.',
  {
    poolSynchronizerType: oneOf('Type of the distributed content.', ['PinnedImageSets'], {
      maxLength: 256,
    }),
    machineCount: count('Number of nodes in the pool.'),
    updatedMachineCount: count('Number of nodes that are up to date.'),
    readyMachineCount: count('Number of nodes that are up to date and ready.'),
    availableMachineCount: count('Number of available nodes.'),
    unavailableMachineCount: count('Number of unavailable nodes.'),
    observedGeneration: integer('The generation that the counts describe.', {
      format: 'int64',
      minimum: 0,
      rules: [
        rule(
          'self >= oldSelf || (self == 0 && oldSelf > 0)',
          'must not decrease, except back to zero',
        ),
      ],
    }),
  },
  {
    required: [
      'poolSynchronizerType',
      'machineCount',
      'updatedMachineCount',
      'readyMachineCount',
      'availableMachineCount',
      'unavailableMachineCount',
    ],
    rules: [
      atMostAll('updatedMachineCount'),
      atMostAll('availableMachineCount'),
      atMostAll('unavailableMachineCount'),
      atMostAll('readyMachineCount'),
      rule(
        'self.availableMachineCount >= self.readyMachineCount',
        'readyMachineCount must not be more than availableMachineCount',
      ),
    ],
  },
)

const status = object('Observed state of the pool.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
    format: 'int64',
  }),
  configuration: configurationReference(
    'The last rendered MachineConfig that all nodes of the pool ran.',
  ),
  machineCount: integer('Number of nodes in the pool.'),
  updatedMachineCount: integer('Number of nodes that run spec.configuration.'),
  readyMachineCount: integer('Number of nodes that run spec.configuration and are ready.'),
  unavailableMachineCount: integer('Number of nodes that are unavailable for any reason.'),
  degradedMachineCount: integer('Number of nodes whose update failed.'),
  conditions: looseConditions(),
  certExpirys: array('Expiry of the certificates that the nodes trust.', certificateExpiry),
  poolSynchronizersStatus: array(
    'Progress of distributions that are independent of the rendered config.',
    poolSynchronizer,
    {
      keys: ['poolSynchronizerType'],
    },
  ),
  osImageStream,
})

export interface MachineConfigPoolSpec extends TypeOf<typeof spec> {}
export interface MachineConfigPoolStatus extends TypeOf<typeof status> {}

export interface MachineConfigPool extends KubeObject {
  spec: MachineConfigPoolSpec
  status?: MachineConfigPoolStatus
}

const messageOf = (condition: string): string =>
  `.status.conditions[?(@.type=="${condition}")].message`

export const machineConfigPoolKind = kind(
  machineConfigPools,
  'MachineConfigPool is a group of nodes that share one configuration. A change is rolled out to a few nodes at a time.',
  {
    shortNames: ['mcp'],
    columns: [
      textColumn('Config', '.status.configuration.name'),
      conditionColumn(poolConditions.updated),
      conditionColumn(poolConditions.updating),
      conditionColumn(poolConditions.degraded),
      countColumn('MachineCount', '.status.machineCount'),
      countColumn('ReadyMachineCount', '.status.readyMachineCount'),
      countColumn('UpdatedMachineCount', '.status.updatedMachineCount'),
      countColumn('DegradedMachineCount', '.status.degradedMachineCount'),
      ageColumn,
      wide(textColumn('Paused', '.spec.paused')),
      wide(textColumn('Message', messageOf(poolConditions.updating))),
      wide(textColumn('DegradedMessage', messageOf(poolConditions.degraded))),
    ],
    spec,
    status,
  },
)
