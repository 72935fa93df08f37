import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { annotations } from '../annotations.ts'
import { ageColumn, kind, textColumn } from '../schema/kind.ts'
import { anything, array, boolean, nullable, object, string } from '../schema/schema.ts'
import { machineConfigs } from './resources.ts'

const spec = object('Desired operating system configuration.', {
  osImageURL: string(
    'Pull spec of the OS image. Set it only to override the image of the release.',
  ),
  baseOSExtensionsContainerImage: string('Pull spec of the image with the OS extensions.'),
  config: anything('Ignition config, version 2.2 or 3.0 to 3.5: files, systemd units and users.'),
  kernelArguments: nullable(array('Kernel arguments, in order.', string('A kernel argument.'))),
  extensions: array(
    'OS extensions to install, such as usbguard.',
    string('Name of the extension.'),
  ),
  fips: boolean('Whether FIPS mode is enabled. It cannot be changed after installation.'),
  kernelType: string('Kernel to boot: default, realtime or 64k-pages.'),
})

export interface MachineConfigSpec extends TypeOf<typeof spec> {}

export interface MachineConfig extends KubeObject {
  spec?: MachineConfigSpec
}

const escapedAnnotation = annotations.generatedByController.replaceAll('.', '\\.')

export const machineConfigKind = kind(
  machineConfigs,
  'MachineConfig is a part of the operating system configuration of nodes. The MachineConfigs that a pool selects are merged in the order of their names; later ones win.',
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
