import { annotations, ownAnnotations } from '../../api/annotations.ts'
import { finalizers } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools, machineConfigs } from '../../api/resources.ts'
import type { ObjectReference } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import type { Maker } from './maker.ts'
import { ownerOfKind, ownerReference } from './owner.ts'
import type { RenderInput } from './read-input.ts'
import type { Rendered } from './renderer.ts'

/** The rendered MachineConfig as it is stored. It has no labels, so that no pool takes it for a piece of configuration. */
export function renderedObject(
  pool: MachineConfigPool,
  rendered: Rendered,
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
        // Deleting the pool deletes what was rendered for it, as soon as no node needs it.
        ownerReferences: [ownerReference(machineConfigPools, pool)],
      }),
    },
    spec: { ...rendered.spec },
  }
}

/** What the pool's spec points at. */
export function configurationOf(
  rendered: Rendered,
  inputs: readonly RenderInput[],
): { name: string; source: ObjectReference[] } {
  const apiVersion = apiVersionOf(machineConfigs)
  const source = inputs.map(({ name }) => ({ apiVersion, kind: machineConfigs.kind, name }))
  return { name: rendered.name, source }
}

/** The pool that a MachineConfig was rendered for, if it was rendered. */
export function owningPool(machineConfig: MachineConfig): string | undefined {
  return ownerOfKind(machineConfig, machineConfigPools.kind)
}
