import type { KubeObject } from '@machinist/core/resource'
import type { Schema, TypeOf } from '../schema/schema.ts'
import { containerRuntimeConfigs } from '../resources.ts'
import { kind } from '../schema/kind.ts'
import { nodeSettingsColumns } from './node-settings-columns.ts'
import { array, integer, intOrString, object, oneOf, rule, string } from '../schema/schema.ts'
import { labelSelector, looseConditions } from '../schema/shapes.ts'

const quantity = (description: string): Schema<number | string> =>
  intOrString(description, {
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  })

const store = object(
  'A directory.',
  {
    path: string('Its absolute path.', {
      minLength: 1,
      maxLength: 256,
      rules: [
        rule(
          "self.matches('^/[a-zA-Z0-9/._-]+$')",
          "must be an absolute path of letters, digits, '/', '.', '_' and '-'",
        ),
        rule("!self.contains('//')", "must not hold '//'"),
      ],
    }),
  },
  { required: ['path'] },
)

const stores = (description: string, maxItems: number) =>
  array(description, store, {
    minItems: 1,
    maxItems,
    rules: [
      rule(
        'self.all(x, self.exists_one(y, x.path == y.path))',
        'must not list the same path twice',
      ),
    ],
  })

const containerRuntimeConfig = object('Settings of the container runtime.', {
  pidsLimit: integer('How many processes a container may have; 0 for no limit.', {
    format: 'int64',
  }),
  logLevel: string('error, fatal, panic, warn, info, debug or trace.'),
  logSizeMax: quantity('How large the log of a container may grow; negative for no limit.'),
  overlaySize: quantity('How much a container may write to its own layer.'),
  defaultRuntime: oneOf('The program that runs containers.', ['crun', 'runc']),
  additionalLayerStores: stores('Directories with layers to use beside the own ones.', 5),
  additionalImageStores: stores('Directories with images to use beside the own ones.', 10),
  additionalArtifactStores: stores('Directories with artifacts to use beside the own ones.', 10),
  containerGomaxprocsBehavior: oneOf(
    'Whether containers get a GOMAXPROCS that fits. It is kept and changes nothing.',
    ['Autosize', 'Disabled'],
  ),
})

const spec = object(
  'What the container runtimes of some pools shall do.',
  {
    machineConfigPoolSelector: labelSelector(
      'Selects pools by their labels. Without it the object applies to none.',
    ),
    containerRuntimeConfig,
  },
  { required: ['containerRuntimeConfig'] },
)

const status = object('What became of it.', {
  observedGeneration: integer('The generation of the spec that this tells about.', {
    format: 'int64',
  }),
  conditions: looseConditions(),
})

export interface ContainerRuntimeConfigSpec extends TypeOf<typeof spec> {}
export interface ContainerRuntimeConfigStatus extends TypeOf<typeof status> {}
export interface ContainerRuntimeSettings extends TypeOf<typeof containerRuntimeConfig> {}

export interface ContainerRuntimeConfig extends KubeObject {
  spec: ContainerRuntimeConfigSpec
  status?: ContainerRuntimeConfigStatus
}

export const containerRuntimeConfigKind = kind(
  containerRuntimeConfigs,
  'Settings for the container runtime on the nodes of some pools.',
  { shortNames: ['ctrcfg'], columns: nodeSettingsColumns, spec, status },
)
