import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { machineOSBuildConditions } from '../conditions.ts'
import { ageColumn, conditionColumn, kind } from '../schema/kind.ts'
import { array, object, rule, string, timestamp } from '../schema/schema.ts'
import {
  conditions,
  imageDigest,
  imagePushSpec,
  namedReference,
  objectName,
  onlyWith,
  relatedObject,
} from '../schema/shapes.ts'
import { machineOSBuilds } from './resources.ts'

const immutable = rule('self == oldSelf', 'must not change once set')

const spec = object(
  'Inputs of the build. Immutable.',
  {
    machineConfig: namedReference(
      'The rendered MachineConfig to build the image for.',
      objectName('Name of the MachineConfig.', 10),
    ),
    machineOSConfig: namedReference(
      'The MachineOSConfig that requested the build.',
      objectName('Name of the MachineOSConfig.', 1),
    ),
    renderedImagePushSpec: imagePushSpec('Pull spec with a tag to which the image is pushed.'),
  },
  {
    required: ['machineConfig', 'machineOSConfig', 'renderedImagePushSpec'],
    rules: [immutable],
  },
)

const finished = (type: string) =>
  rule(
    `self == oldSelf || !oldSelf.exists(c, c.type == '${type}' && c.status == 'True')`,
    `conditions must not change after ${type}`,
  )

const builder = object(
  'The builder of the image.',
  { imageBuilderType: string('Type of the builder: Job.'), job: relatedObject },
  {
    required: ['imageBuilderType'],
    rules: [onlyWith('job', 'imageBuilderType', 'Job')],
  },
)

const status = object(
  'Observed state of the build.',
  {
    conditions: conditions({
      maxItems: 8,
      rules: [
        finished(machineOSBuildConditions.failed),
        finished(machineOSBuildConditions.interrupted),
        finished(machineOSBuildConditions.succeeded),
      ],
    }),
    builder,
    buildStart: timestamp('Start of the build.', { rules: [immutable] }),
    buildEnd: timestamp('End of the build.', { rules: [immutable] }),
    digestedImagePushSpec: imageDigest('Pull spec of the built image, by digest.'),
    relatedObjects: array('Temporary objects that were created for the build.', relatedObject, {
      keys: ['name', 'resource'],
      maxItems: 10,
    }),
  },
  {
    rules: [
      rule(
        '!has(self.buildEnd) || has(self.buildStart) && timestamp(self.buildStart) < timestamp(self.buildEnd)',
        'buildEnd must be after buildStart',
      ),
    ],
  },
)

export interface MachineOSBuildSpec extends TypeOf<typeof spec> {}
export interface MachineOSBuildStatus extends TypeOf<typeof status> {}

export interface MachineOSBuild extends KubeObject {
  spec: MachineOSBuildSpec
  status?: MachineOSBuildStatus
}

export const machineOSBuildKind = kind(
  machineOSBuilds,
  'MachineOSBuild is one build of an OS image.',
  {
    columns: [
      conditionColumn(machineOSBuildConditions.prepared),
      conditionColumn(machineOSBuildConditions.building),
      conditionColumn(machineOSBuildConditions.succeeded),
      conditionColumn(machineOSBuildConditions.interrupted),
      conditionColumn(machineOSBuildConditions.failed),
      ageColumn,
    ],
    spec,
    status,
  },
)
