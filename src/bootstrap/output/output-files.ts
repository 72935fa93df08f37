import { isObject } from '@machinist/core/encoding/json'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { ObjectMeta, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import {
  annotations,
  ownControllerConfigAnnotations,
  ownPoolAnnotations,
} from '../../api/annotations.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { controllerConfigs, machineConfigPools, machineConfigs } from '../../api/kinds/resources.ts'
import { isGenerated } from '../../controllers/generated/machine-config.ts'
import { controllerConfigFile, machineConfigFile, poolFile } from '../../fleet/bootstrap/layout.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

export interface OutputObjects {
  readonly controllerConfig: ControllerConfig
  readonly pools: readonly MachineConfigPool[]
  readonly machineConfigs: readonly MachineConfig[]
}

/** The files of the output, by path. The same objects give the same bytes, whenever and wherever they were rendered. */
export function outputFiles(objects: OutputObjects): Map<string, string> {
  const { controllerConfig, pools, machineConfigs: all } = objects
  const inUse = new Set(pools.map(({ spec }) => spec.configuration?.name))
  return new Map([
    ...pools.map((pool): [string, string] => [poolFile(pool.metadata.name), poolText(pool)]),
    ...all
      .filter((one) => isGenerated(one) && isInUse(one, inUse))
      .map((one): [string, string] => [
        machineConfigFile(one.metadata.name),
        objectText(machineConfigs, one.metadata, { spec: one.spec }),
      ]),
    [
      controllerConfigFile,
      objectText(controllerConfigs, controllerConfig.metadata, { spec: controllerConfig.spec }),
    ],
  ])
}

/** While the controllers work, a pool may get several rendered configs; only the last one is final. */
const isInUse = (one: MachineConfig, inUse: ReadonlySet<string | undefined>): boolean =>
  owningPool(one) === undefined || inUse.has(one.metadata.name)

/** As if all nodes had the rendered config: a server gives it to the first one. */
function poolText({ metadata, spec }: MachineConfigPool): string {
  const { configuration } = spec
  return objectText(machineConfigPools, metadata, { spec, status: { configuration } })
}

/** Annotations with the state of a cluster. */
const volatile: ReadonlySet<string> = new Set([
  annotations.serviceCARotate,
  ownControllerConfigAnnotations.pinnedImages,
  ownPoolAnnotations.rollout,
])

/**
 * An object without the fields that belong to one cluster. It has no owner references: their uids would be wrong everywhere else,
 * and controllers take over generated MachineConfigs without an owner.
 */
function objectText(resource: Resource, metadata: ObjectMeta, content: object): string {
  const { name, labels } = metadata
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !volatile.has(key))
  return toYaml(
    sortedKeys({
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name,
        ...(labels && { labels }),
        ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
      },
      ...content,
    }),
  )
}

/** The order of keys in the API depends on the order of writes. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, sortedKeys(member)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
