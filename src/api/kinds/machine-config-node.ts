import type { KubeObject } from '@machinist/core/resource'
import type { Schema, TypeOf } from '../schema/schema.ts'
import { nodeConditions } from '../conditions.ts'
import { machineConfigNodes } from '../resources.ts'
import { ageColumn, conditionColumn, kind, textColumn, wide } from '../schema/kind.ts'
import { array, object, rule, string } from '../schema/schema.ts'
import {
  conditions,
  growingGeneration,
  imageDigest,
  namedReference,
  objectName,
} from '../schema/shapes.ts'

const spec = object(
  'What the node shall run.',
  {
    node: namedReference('The node.'),
    pool: namedReference('The pool it belongs to, or not-yet-set.'),
    configVersion: object(
      'The configuration it shall run.',
      { desired: objectName('The name of the rendered MachineConfig, or not-yet-set.') },
      { required: ['desired'] },
    ),
    configImage: object(
      'The OS image it shall run, where images are built in the cluster.',
      { desiredImage: imageDigest('The image, by digest.') },
      { required: ['desiredImage'] },
    ),
  },
  { required: ['node', 'pool', 'configVersion'] },
)

const generation = (description: string): Schema<number> =>
  growingGeneration(description, { format: 'int32', minimum: 1 })

const pinnedImageSet = object(
  'How far one set of images is on this node.',
  {
    name: objectName('The PinnedImageSet.'),
    currentGeneration: generation('The generation that is on the node.'),
    desiredGeneration: generation('The generation that shall be.'),
    lastFailedGeneration: generation('The last generation that could not be pulled.'),
    lastFailedGenerationError: string('Why it could not.', { maxLength: 32768 }),
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
        'lastFailedGenerationError must say why lastFailedGeneration failed',
      ),
    ],
  },
)

const irreconcilableChange = object(
  'A difference that could not be brought to this node.',
  {
    fieldPath: string('Where in the MachineConfig.', {
      minLength: 1,
      maxLength: 70,
      rules: [
        rule("self.startsWith('spec.')", "must start with 'spec.'"),
        rule(
          "self.matches('^[\\\\da-zA-Z\\\\.\\\\[\\\\]]+$')",
          'must hold only letters, digits, dots and square brackets',
        ),
      ],
    }),
    diff: string('What differs.', { minLength: 1, maxLength: 4096 }),
  },
  { required: ['fieldPath', 'diff'] },
)

const releaseBundle = object(
  'A release whose images the node can serve.',
  {
    name: string('The bundle.', {
      minLength: 1,
      maxLength: 64,
      rules: [
        rule(
          "self.matches('^ocp-release-bundle-[0-9]+\\\\.[0-9]+\\\\.[0-9]+-[A-Za-z0-9._-]+$')",
          'must be ocp-release-bundle-<version>-<architecture or stream>',
        ),
      ],
    }),
    image: imageDigest('The release image, by digest.', { localhost: true }),
    conditions: conditions({ minItems: 1, maxItems: 5 }),
  },
  { required: ['name'] },
)

const status = object('What the node runs and what it is doing.', {
  observedGeneration: growingGeneration('The generation of the spec that this tells about.', {
    format: 'int64',
    minimum: 1,
  }),
  conditions: conditions({ maxItems: 20 }),
  configVersion: object(
    'The configuration.',
    {
      current: objectName('What it runs.'),
      desired: objectName('What it is on the way to, or not-yet-set.'),
    },
    { required: ['desired'] },
  ),
  configImage: object(
    'The OS image.',
    {
      currentImage: imageDigest('What it runs.'),
      desiredImage: imageDigest('What it is on the way to.'),
    },
    { minProperties: 1 },
  ),
  pinnedImageSets: array('Images to keep on the node.', pinnedImageSet, {
    keys: ['name'],
    maxItems: 100,
  }),
  irreconcilableChanges: array('What this node cannot take over.', irreconcilableChange, {
    keys: ['fieldPath'],
    minItems: 1,
    maxItems: 32,
  }),
  internalReleaseImage: object(
    'Releases whose images the node can serve.',
    {
      releases: array('The releases.', releaseBundle, {
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
  'The progress of one node through its update. It has the name of the node.',
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
