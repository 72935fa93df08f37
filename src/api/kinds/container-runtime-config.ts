import type { KubeObject } from '@machinist/core/objects/resource'
import type { Schema, TypeOf } from '../schema/schema.ts'
import { kind } from '../schema/kind.ts'
import { array, integer, intOrString, object, oneOf, rule, string } from '../schema/schema.ts'
import { labelSelector, looseConditions } from '../schema/shapes.ts'
import { containerRuntimeConfigs } from './resources.ts'
import { nodeSettingsColumns } from './node-settings-columns.ts'

const quantity = (description: string): Schema<number | string> =>
  intOrString(description, {
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  })

const store = object(
  'A storage directory.',
  {
    path: string('Absolute path of the directory on the node.', {
      minLength: 1,
      maxLength: 256,
      rules: [
        rule(
          "self.matches('^/[a-zA-Z0-9/._-]+$')",
          "must be an absolute path of letters, digits, '/', '.', '_' and '-'",
        ),
        rule("!self.contains('//')", "must not contain '//'"),
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

const containerRuntimeConfig = object(
  'Container runtime settings. Fields that are not set keep the default.',
  {
    pidsLimit: integer('Maximum number of processes in a container. 0 means no limit.', {
      format: 'int64',
    }),
    logLevel: string(
      'Log level of the container runtime: fatal, panic, error, warn, info, debug or trace.',
    ),
    logSizeMax: quantity(
      'Maximum size of a container log file, such as 50Mi. A negative value means no limit.',
    ),
    overlaySize: quantity('Maximum size of the writable layer of a container, such as 10Gi.'),
    defaultRuntime: oneOf('OCI runtime that runs containers.', ['crun', 'runc']),
    additionalLayerStores: stores('Additional read-only directories with image layers.', 5),
    additionalImageStores: stores('Additional read-only directories with images.', 10),
    additionalArtifactStores: stores('Additional read-only directories with OCI artifacts.', 10),
    containerGomaxprocsBehavior: oneOf(
      'Whether containers get a GOMAXPROCS that matches their CPU limit. Accepted for compatibility; it has no effect.',
      ['Autosize', 'Disabled'],
    ),
  },
)

const spec = object(
  'Container runtime settings for the selected pools.',
  {
    machineConfigPoolSelector: labelSelector(
      'Selects pools by their labels. If not set, the object applies to no pool.',
    ),
    containerRuntimeConfig,
  },
  { required: ['containerRuntimeConfig'] },
)

const status = object('Observed state.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
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
  'ContainerRuntimeConfig changes container runtime settings on the nodes of the selected pools.',
  { shortNames: ['ctrcfg'], columns: nodeSettingsColumns, spec, status },
)
