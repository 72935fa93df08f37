import { sameJson } from '@machinist/core/encoding/json'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import { isAlreadyExists, withoutServerMessage } from '@machinist/kube/failure'
import type { ControllerConfigSpec } from '../../api/kinds/controller-config.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'

/** The fields of one writer. `undefined` removes a field or an annotation; other fields stay unchanged. */
export interface ControllerConfigChange {
  readonly spec: {
    readonly [Field in keyof ControllerConfigSpec]?: ControllerConfigSpec[Field] | undefined
  }
  readonly annotations: Readonly<Record<string, string | undefined>>
}

/**
 * Writes the fields of one writer to the ControllerConfig, and creates it if necessary. Several controllers write disjoint fields,
 * so each write starts from the newest object; a merge patch cannot set `null`, which required fields need. Writes only if
 * something differs, and returns the current object.
 */
export async function writeControllerConfig(
  client: KubeClient,
  stored: Readonly<ControllerConfig> | undefined,
  change: ControllerConfigChange,
  signal: AbortSignal,
): Promise<Readonly<ControllerConfig>> {
  const key = { name: names.controllerConfig }
  if (!stored) {
    try {
      const created = applyChange({ metadata: key, spec: emptyControllerConfigSpec }, change)
      return await client.create(controllerConfigs, created, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw withoutServerMessage(error)
    }
  } else if (sameJson(stored, applyChange(stored, change))) return stored
  // The cache may not contain a write of another operator yet.
  const changeUnlessOwned = (newest: ControllerConfig): ControllerConfig | undefined =>
    otherOperatorOf(newest) === undefined ? applyChange(newest, change) : undefined
  return await modify(client, controllerConfigs, key, changeUnlessOwned, { signal })
}

function applyChange(
  stored: Readonly<ControllerConfig>,
  { spec, annotations }: ControllerConfigChange,
): ControllerConfig {
  const { annotations: old, ...metadata } = stored.metadata
  const merged = withoutUndefined({ ...old, ...annotations })
  return {
    ...stored,
    // The server does not keep empty annotations.
    metadata: Object.keys(merged).length > 0 ? { ...metadata, annotations: merged } : metadata,
    // Only optional fields are ever removed.
    spec: withoutUndefined({ ...stored.spec, ...spec }) as unknown as ControllerConfigSpec,
  }
}

function withoutUndefined<T>(members: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, T] => entry[1] !== undefined),
  )
}
