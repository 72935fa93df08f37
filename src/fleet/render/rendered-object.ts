import type { ObjectReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { annotations, ownAnnotations } from '../../api/annotations.ts'
import { finalizers } from '../../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { machineConfigPools, machineConfigs } from '../../api/kinds/resources.ts'
import type { Maker } from './maker.ts'
import { ownerOfKind, ownerReference } from './owner.ts'
import type { RenderInput } from './read-input.ts'
import type { RenderedConfig } from './renderer.ts'

/** The rendered MachineConfig as it is stored. It has no labels, so that no pool selects it as an input. */
export function renderedObject(
  pool: MachineConfigPool,
  rendered: RenderedConfig,
  maker: Pick<Maker, 'build'>,
  controllerConfig: ControllerConfig | undefined,
): MachineConfig {
  const release = controllerConfig?.metadata.annotations?.[annotations.releaseImageVersion]
  return {
    apiVersion: apiVersionOf(machineConfigs),
    kind: machineConfigs.kind,
    metadata: {
      name: rendered.name,
      annotations: {
        [annotations.generatedByController]: maker.build,
        ...(release !== undefined && { [annotations.releaseImageVersion]: release }),
        ...(rendered.osImageOverridden && { [annotations.osImageURLOverridden]: 'true' }),
        [ownAnnotations.provenance]: rendered.provenanceText,
      },
      ...(pool.metadata.uid !== undefined && {
        finalizers: [finalizers.inUse],
        // Deleting the pool deletes its rendered configs, as soon as no node uses them.
        ownerReferences: [ownerReference(machineConfigPools, pool)],
      }),
    },
    spec: { ...rendered.spec },
  }
}

/** spec.configuration of the pool. */
export function configurationOf(
  rendered: RenderedConfig,
  inputs: readonly RenderInput[],
): { name: string; source: ObjectReference[] } {
  const apiVersion = apiVersionOf(machineConfigs)
  const source = inputs.map(({ name }) => ({ apiVersion, kind: machineConfigs.kind, name }))
  return { name: rendered.name, source }
}

/** The pool of a rendered MachineConfig. */
export function owningPool(machineConfig: MachineConfig): string | undefined {
  return ownerOfKind(machineConfig, machineConfigPools.kind)
}
