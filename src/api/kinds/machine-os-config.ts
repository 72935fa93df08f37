import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { machineOSConfigs } from '../resources.ts'
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

const containerFile = object(
  'Build steps for one architecture.',
  {
    containerfileArch: oneOf(
      'The architecture; NoArch for all.',
      ['ARM64', 'AMD64', 'PPC64LE', 'S390X', 'NoArch'],
      { default: 'NoArch' },
    ),
    content: string('The Containerfile.', { maxLength: 4096 }),
  },
  { required: ['content'] },
)

const spec = object(
  'What to build and where to put it.',
  {
    machineConfigPool: namedReference('The pool that gets the image.'),
    imageBuilder: object(
      'How images are built.',
      { imageBuilderType: oneOf('Job: a Job of the cluster.', ['Job']) },
      { required: ['imageBuilderType'] },
    ),
    baseImagePullSecret: namedReference('The Secret with which the base image is pulled.'),
    renderedImagePushSecret: namedReference('The Secret with which the result is pushed.'),
    renderedImagePushSpec: imagePushSpec('Where the result is pushed.'),
    containerFile: array('Build steps of your own.', containerFile, {
      keys: ['containerfileArch'],
      minItems: 0,
      maxItems: 4,
    }),
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

const status = object('What was built.', {
  observedGeneration: growingGeneration('The generation of the spec that this tells about.', {
    format: 'int64',
    minimum: 0,
  }),
  conditions: conditions(),
  currentImagePullSpec: imageDigest('The image that the nodes of the pool shall run.'),
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
  'Has the OS image of one pool built in the cluster. It has the name of the pool.',
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
