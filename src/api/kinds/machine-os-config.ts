import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { kind } from '../schema/kind.ts'
import { array, object, oneOf, rule, string } from '../schema/schema.ts'
import {
  conditions,
  growingGeneration,
  imageDigest,
  imagePushSpec,
  namedReference,
  relatedObject,
} from '../schema/shapes.ts'
import { machineOSConfigs } from './resources.ts'

const containerFile = object(
  'A Containerfile for one architecture.',
  {
    containerfileArch: oneOf(
      'Architecture of the nodes. NoArch applies to all architectures.',
      ['ARM64', 'AMD64', 'PPC64LE', 'S390X', 'NoArch'],
      { default: 'NoArch' },
    ),
    content: string('Content of the Containerfile.', { maxLength: 4096 }),
  },
  { required: ['content'] },
)

const spec = object(
  'Desired image and how it is built.',
  {
    machineConfigPool: namedReference('The MachineConfigPool whose nodes run the image.'),
    imageBuilder: object(
      'The builder of the image.',
      { imageBuilderType: oneOf('Type of the builder. Job builds the image in a Job.', ['Job']) },
      { required: ['imageBuilderType'] },
    ),
    baseImagePullSecret: namedReference('Secret with the credentials to pull the base image.'),
    renderedImagePushSecret: namedReference('Secret with the credentials to push the built image.'),
    renderedImagePushSpec: imagePushSpec('Pull spec with a tag to which the image is pushed.'),
    containerFile: array(
      'Containerfiles with additional build steps, at most one per architecture.',
      containerFile,
      {
        keys: ['containerfileArch'],
        minItems: 0,
        maxItems: 4,
      },
    ),
  },
  {
    required: [
      'machineConfigPool',
      'imageBuilder',
      'renderedImagePushSecret',
      'renderedImagePushSpec',
    ],
  },
)

const status = object('Observed state.', {
  observedGeneration: growingGeneration(
    'The generation of the object that this status describes.',
    {
      format: 'int64',
      minimum: 0,
    },
  ),
  conditions: conditions(),
  currentImagePullSpec: imageDigest(
    'Pull spec of the image that the nodes of the pool run, by digest.',
  ),
  machineOSBuild: relatedObject,
})

export interface MachineOSConfigSpec extends TypeOf<typeof spec> {}
export interface MachineOSConfigStatus extends TypeOf<typeof status> {}

export interface MachineOSConfig extends KubeObject {
  spec: MachineOSConfigSpec
  status?: MachineOSConfigStatus
}

export const machineOSConfigKind = kind(
  machineOSConfigs,
  'MachineOSConfig builds the OS image of a pool in the cluster. Its name is the name of the MachineConfigPool.',
  {
    spec,
    status,
    rules: [
      rule(
        'self.metadata.name == self.spec.machineConfigPool.name || oldSelf.hasValue() && oldSelf.spec.machineConfigPool.name.value() == self.spec.machineConfigPool.name',
        'metadata.name must equal spec.machineConfigPool.name: one MachineOSConfig per pool',
        { optionalOldSelf: true },
      ),
    ],
  },
)
