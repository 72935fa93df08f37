import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { poolConditions } from '../conditions.ts'
import { machineConfigPools } from '../resources.ts'
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

const osImageStream = namedReference(
  'Which stream of OS images the nodes follow.',
  objectName('The name of the stream.', 1),
)

const pinnedImageSet = namedReference(
  'A PinnedImageSet.',
  string('Its name.', {
    minLength: 1,
    maxLength: 253,
    pattern:
      '^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])(\\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9]))*$',
  }),
)

const spec = object('Which nodes, which configuration, how fast.', {
  machineConfigSelector: labelSelector(
    'Selects MachineConfigs (and PinnedImageSets) by label. Without it the pool has none.',
  ),
  nodeSelector: labelSelector('Selects nodes by label. Without it the pool has none.'),
  paused: boolean('While true no node is told to take a new configuration.'),
  maxUnavailable: intOrString(
    'How many nodes may be out of service at once: a number, or a percentage of the pool such as "10%". 1 by default.',
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
    'The rendered configuration to roll out. Written by the render controller.',
  ),
  pinnedImageSets: array('Image sets to keep on the nodes.', pinnedImageSet, {
    keys: ['name'],
    maxItems: 100,
  }),
  osImageStream,
})

const certificateExpiry = object(
  'When a certificate that the nodes trust runs out.',
  {
    bundle: string('The bundle it is in.'),
    subject: string('Whose certificate it is.'),
    expiry: timestamp('When it runs out.'),
  },
  { required: ['bundle', 'subject'] },
)

const count = (description: string) => integer(description, { format: 'int64', minimum: 0 })
const atMostAll = (counted: string) =>
  rule(`self.machineCount >= self.${counted}`, `${counted} must not be more than machineCount`)

const poolSynchronizer = object(
  'How far something that is spread over the nodes beside their configuration has come.',
  {
    poolSynchronizerType: oneOf('What is spread.', ['PinnedImageSets'], { maxLength: 256 }),
    machineCount: count('Nodes in all.'),
    updatedMachineCount: count('Nodes that have it.'),
    readyMachineCount: count('Nodes that have it and are ready.'),
    availableMachineCount: count('Nodes that are in service.'),
    unavailableMachineCount: count('Nodes that are not.'),
    observedGeneration: integer('The generation that was judged.', {
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

const status = object('How far the rollout is.', {
  observedGeneration: integer('The generation of the spec that this tells about.', {
    format: 'int64',
  }),
  configuration: configurationReference('The last configuration that reached every node.'),
  machineCount: integer('Nodes in the pool.'),
  updatedMachineCount: integer('Nodes that run the configuration of the spec.'),
  readyMachineCount: integer('Nodes that run it and are ready.'),
  unavailableMachineCount: integer('Nodes out of service, for whatever reason.'),
  degradedMachineCount: integer('Nodes that failed to take a configuration.'),
  conditions: looseConditions(),
  certExpirys: array('Certificates that the nodes trust.', certificateExpiry),
  poolSynchronizersStatus: array('What else is being spread.', poolSynchronizer, {
    keys: ['poolSynchronizerType'],
  }),
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
  'A group of nodes that share one configuration and are updated a few at a time.',
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
