import type { ControllerConfigSpec } from '../../api/kinds/controller-config.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { isAlreadyExists, withoutQuotes } from '@machinist/kube/failure'

/** Fields of one writer. `undefined` takes a field or an annotation away; what is not named stays as it is. */
export interface ControllerConfigChange {
  readonly spec: {
    readonly [Field in keyof ControllerConfigSpec]?: ControllerConfigSpec[Field] | undefined
  }
  readonly annotations: Readonly<Record<string, string | undefined>>
}

/**
 * Brings the fields of one writer into the ControllerConfig, which is made if nobody has. Several loops write disjoint
 * fields of it, so each write builds on the newest object; a merge patch could not say `null`, which required fields need.
 * Nothing is written when nothing differs. Gives back the object as it is then.
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
      const made = changed({ metadata: key, spec: emptySpec }, change)
      return await client.create(controllerConfigs, made, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw withoutQuotes(error)
    }
  } else if (sameJson(stored, changed(stored, change))) return stored
  // The cache may not have another operator's write yet.
  const unlessTheirs = (newest: ControllerConfig): ControllerConfig | undefined =>
    otherOperatorOf(newest) === undefined ? changed(newest, change) : undefined
  return await modify(client, controllerConfigs, key, unlessTheirs, { signal })
}

function changed(
  stored: Readonly<ControllerConfig>,
  { spec, annotations }: ControllerConfigChange,
): ControllerConfig {
  const { annotations: old, ...metadata } = stored.metadata
  const said = given({ ...old, ...annotations })
  return {
    ...stored,
    // The server keeps no empty ones.
    metadata: Object.keys(said).length > 0 ? { ...metadata, annotations: said } : metadata,
    // Only fields that may be absent are ever taken away.
    spec: given({ ...stored.spec, ...spec }) as unknown as ControllerConfigSpec,
  }
}

function given<T>(members: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, T] => entry[1] !== undefined),
  )
}
