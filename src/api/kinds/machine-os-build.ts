import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { machineOSBuildConditions } from '../conditions.ts'
import { machineOSBuilds } from '../resources.ts'
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

const immutable = rule('self == oldSelf', 'must not change once set')

const spec = object(
  'What is built. It never changes.',
  {
    machineConfig: namedReference('The rendered MachineConfig.', objectName('Its name.', 10)),
    machineOSConfig: namedReference('The MachineOSConfig.', objectName('Its name.', 1)),
    renderedImagePushSpec: imagePushSpec('Where the result is pushed.'),
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
  'What does the work.',
  { imageBuilderType: string('Job.'), job: relatedObject },
  {
    required: ['imageBuilderType'],
    rules: [onlyWith('job', 'imageBuilderType', 'Job')],
  },
)

const status = object(
  'How the build goes.',
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
    buildStart: timestamp('When it started.', { rules: [immutable] }),
    buildEnd: timestamp('When it ended.', { rules: [immutable] }),
    digestedImagePushSpec: imageDigest('The result.'),
    relatedObjects: array('What else was made for the build.', relatedObject, {
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

export const machineOSBuildKind = kind(machineOSBuilds, 'One build of an OS image.', {
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
})
