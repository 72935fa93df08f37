import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { annotations } from '../annotations.ts'
import { machineConfigs } from '../resources.ts'
import { ageColumn, kind, textColumn } from '../schema/kind.ts'
import { anything, array, boolean, nullable, object, string } from '../schema/schema.ts'

const spec = object('What the nodes of a pool shall have.', {
  osImageURL: string('The operating system image; set it only to replace the one of the release.'),
  baseOSExtensionsContainerImage: string('The image that holds the OS extensions.'),
  config: anything('Files, units, users: an Ignition configuration, version 2.2 or 3.x.'),
  kernelArguments: nullable(array('Arguments for the kernel, in order.', string('An argument.'))),
  extensions: array('Named sets of packages to add to the OS.', string('An extension.')),
  fips: boolean('Whether the OS runs in FIPS mode. Cannot change after installation.'),
  kernelType: string('default, realtime or 64k-pages.'),
})

export interface MachineConfigSpec extends TypeOf<typeof spec> {}

export interface MachineConfig extends KubeObject {
  spec?: MachineConfigSpec
}

const escapedAnnotation = annotations.generatedByController.replaceAll('.', '\\.')

export const machineConfigKind = kind(
  machineConfigs,
  'A piece of operating system configuration. The pieces of a pool are merged in the order of their names.',
  {
    shortNames: ['mc'],
    columns: [
      textColumn('GeneratedByController', `.metadata.annotations.${escapedAnnotation}`),
      textColumn('IgnitionVersion', '.spec.config.ignition.version'),
      ageColumn,
    ],
    spec,
    specRequired: false,
  },
)
