import type { KubeObject } from '@machinist/core/objects/resource'
import type { Schema, TypeOf } from '../schema/schema.ts'
import { nodeConditions } from '../conditions.ts'
import { ageColumn, conditionColumn, kind, textColumn, wide } from '../schema/kind.ts'
import { array, object, rule, string } from '../schema/schema.ts'
import {
  conditions,
  growingGeneration,
  imageDigest,
  namedReference,
  objectName,
} from '../schema/shapes.ts'
import { machineConfigNodes } from './resources.ts'

const spec = object(
  'Desired configuration of the node.',
  {
    node: namedReference('The Node.'),
    pool: namedReference(
      'The MachineConfigPool of the node. The name is not-yet-set until it is known.',
    ),
    configVersion: object(
      'Desired rendered config.',
      { desired: objectName('Name of the rendered MachineConfig, or not-yet-set.') },
      { required: ['desired'] },
    ),
    configImage: object(
      'Desired OS image, if the image of the pool is built in the cluster.',
      { desiredImage: imageDigest('Pull spec of the desired OS image, by digest.') },
      { required: ['desiredImage'] },
    ),
  },
  { required: ['node', 'pool', 'configVersion'] },
)

const generation = (description: string): Schema<number> =>
  growingGeneration(description, { format: 'int32', minimum: 1 })

const pinnedImageSet = object(
  'Progress of one PinnedImageSet on the node.',
  {
    name: objectName('Name of the PinnedImageSet.'),
    currentGeneration: generation(
      'Generation of the PinnedImageSet whose images are all on the node.',
    ),
    desiredGeneration: generation('Generation of the PinnedImageSet that the node pulls.'),
    lastFailedGeneration: generation('Last generation whose images could not be pulled.'),
    lastFailedGenerationError: string('Error of lastFailedGeneration.', { maxLength: 32768 }),
  },
  {
    required: ['name'],
    rules: [
      rule(
        '!has(self.desiredGeneration) || !has(self.currentGeneration) || self.desiredGeneration >= self.currentGeneration',
        'currentGeneration must not be ahead of desiredGeneration',
      ),
      rule(
        '!has(self.desiredGeneration) || !has(self.lastFailedGeneration) || self.desiredGeneration >= self.lastFailedGeneration',
        'lastFailedGeneration must not be ahead of desiredGeneration',
      ),
      rule(
        '!has(self.lastFailedGeneration) || has(self.lastFailedGenerationError)',
        'lastFailedGenerationError must be set when lastFailedGeneration is set',
      ),
    ],
  },
)

const irreconcilableChange = object(
  'A difference between the rendered config and the node that cannot be applied to an existing node.',
  {
    fieldPath: string(
      'Path of the field in the MachineConfig, such as spec.config.storage.disks[0].',
      {
        minLength: 1,
        maxLength: 70,
        rules: [
          rule("self.startsWith('spec.')", "must start with 'spec.'"),
          rule(
            "self.matches('^[\\\\da-zA-Z\\\\.\\\\[\\\\]]+$')",
            'must contain only letters, digits, dots and square brackets',
          ),
        ],
      },
    ),
    diff: string('Difference between the desired and the current value.', {
      minLength: 1,
      maxLength: 4096,
    }),
  },
  { required: ['fieldPath', 'diff'] },
)

const releaseBundle = object(
  'A release bundle that the node serves.',
  {
    name: string('Name of the release bundle.', {
      minLength: 1,
      maxLength: 64,
      rules: [
        rule(
          "self.matches('^ocp-release-bundle-[0-9]+\\\\.[0-9]+\\\\.[0-9]+-[A-Za-z0-9._-]+$')",
          'must be ocp-release-bundle-<version>-<architecture or stream>',
        ),
      ],
    }),
    image: imageDigest('Pull spec of the release image, by digest.', { localhost: true }),
    conditions: conditions({ minItems: 1, maxItems: 5 }),
  },
  { required: ['name'] },
)

const status = object('Observed state of the node.', {
  observedGeneration: growingGeneration(
    'The generation of the object that this status describes.',
    {
      format: 'int64',
      minimum: 1,
    },
  ),
  conditions: conditions({ maxItems: 20 }),
  configVersion: object(
    'Current and desired rendered config.',
    {
      current: objectName('Name of the rendered MachineConfig that the node runs.'),
      desired: objectName(
        'Name of the rendered MachineConfig that the node is updating to, or not-yet-set.',
      ),
    },
    { required: ['desired'] },
  ),
  configImage: object(
    'Current and desired OS image.',
    {
      currentImage: imageDigest('Pull spec of the OS image that the node runs, by digest.'),
      desiredImage: imageDigest(
        'Pull spec of the OS image that the node is updating to, by digest.',
      ),
    },
    { minProperties: 1 },
  ),
  pinnedImageSets: array('Progress of the PinnedImageSets on the node.', pinnedImageSet, {
    keys: ['name'],
    maxItems: 100,
  }),
  irreconcilableChanges: array(
    'Differences that cannot be applied to this node.',
    irreconcilableChange,
    {
      keys: ['fieldPath'],
      minItems: 1,
      maxItems: 32,
    },
  ),
  internalReleaseImage: object(
    'Release bundles that the node serves.',
    {
      releases: array('The release bundles.', releaseBundle, {
        keys: ['name'],
        minItems: 1,
        maxItems: 32,
      }),
    },
    { required: ['releases'] },
  ),
})

export interface MachineConfigNodeSpec extends TypeOf<typeof spec> {}
export interface MachineConfigNodeStatus extends TypeOf<typeof status> {}
export interface PinnedImageSetProgress extends TypeOf<typeof pinnedImageSet> {}
export interface IrreconcilableChange extends TypeOf<typeof irreconcilableChange> {}

export interface MachineConfigNode extends KubeObject {
  spec: MachineConfigNodeSpec
  status?: MachineConfigNodeStatus
}

export const machineConfigNodeKind = kind(
  machineConfigNodes,
  'MachineConfigNode reports the progress of a node through its update. Its name is the name of the Node.',
  {
    shortNames: ['mcn'],
    columns: [
      textColumn('PoolName', '.spec.pool.name'),
      textColumn('DesiredConfig', '.spec.configVersion.desired'),
      textColumn('CurrentConfig', '.status.configVersion.current'),
      conditionColumn(nodeConditions.updated),
      ageColumn,
      wide(conditionColumn(nodeConditions.updatePrepared)),
      wide(conditionColumn(nodeConditions.updateExecuted)),
      wide(conditionColumn(nodeConditions.updatePostActionComplete)),
      wide(conditionColumn(nodeConditions.updateComplete)),
      wide(conditionColumn(nodeConditions.resumed)),
      wide(conditionColumn('UpdatedFilesAndOS', nodeConditions.appliedFilesAndOS)),
      wide(conditionColumn('CordonedNode', nodeConditions.cordoned)),
      wide(conditionColumn('DrainedNode', nodeConditions.drained)),
      wide(conditionColumn(nodeConditions.rebootedNode)),
      wide(conditionColumn('UncordonedNode', nodeConditions.uncordoned)),
    ],
    spec,
    status,
    rules: [
      rule('self.metadata.name == self.spec.node.name', 'spec.node.name must equal metadata.name'),
    ],
  },
)
