import { otherMakerInWords, otherMakerOf } from '../../api/maker.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigs } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import type { OwnerReference } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
  refusalInWords,
  withoutQuotes,
} from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { isGenerated } from './machine-config.ts'

export interface StoreOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Why a MachineConfig could not be stored, for a person to act on. */
export interface StoreProblem {
  /** It belongs to a user or another object, another controller made it, or the server does not take it. */
  readonly why: 'notOurs' | 'otherMaker' | 'refused'
  readonly message: string
}

/** Stores a MachineConfig, or mends it where it is not as wanted; what is as wanted is left alone. */
export async function store(
  wanted: MachineConfig,
  stored: Readonly<MachineConfig> | undefined,
  { client, signal }: StoreOptions,
): Promise<StoreProblem | undefined> {
  try {
    if (!stored) {
      await client.create(machineConfigs, wanted, { signal })
      return undefined
    }
    const problem = ownerProblem(stored, wanted)
    if (problem) return problem
    const mended = mend(stored, wanted)
    if (mended) await client.replace(machineConfigs, mended, { signal })
    return undefined
  } catch (error) {
    // The cache has not seen it yet. When it does, we are called again and look at it.
    if (isAlreadyExists(error)) return undefined
    if (!isRefused(error)) throw withoutQuotes(error)
    const message = refusalInWords(`MachineConfig ${wanted.metadata.name}`, error)
    return { why: 'refused', message }
  }
}

/**
 * Removes these, as they were when they were looked at: what was made anew, or given to somebody else since, stays. So does what
 * another controller made.
 */
export async function removeAll(
  made: readonly Readonly<MachineConfig>[],
  { client, signal }: StoreOptions,
): Promise<void> {
  for (const one of made) {
    const { name, uid, resourceVersion, deletionTimestamp } = one.metadata
    if (deletionTimestamp !== undefined || otherMakerOf(one) !== undefined) continue
    const seen = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    }
    try {
      await client.remove(machineConfigs, { name }, { ...seen, signal })
    } catch (error) {
      if (isNotFound(error)) continue
      if (!isConflict(error)) throw error
      const message = `MachineConfig ${name} was changed in between`
      throw new Waiting('MachineConfigChanged', message, catchUpMs)
    }
  }
}

/**
 * What somebody else looks after would be fought over, and what a person made under our name would be lost. Whatever a
 * controller made and nobody looks after any more is ours to take over.
 */
export function ownerProblem(
  stored: Readonly<MachineConfig>,
  wanted: Readonly<MachineConfig>,
): StoreProblem | undefined {
  const { name, ownerReferences = [] } = stored.metadata
  if (otherMakerOf(stored) !== undefined)
    return { why: 'otherMaker', message: otherMakerMessage(stored) }
  const kinds = new Set(wanted.metadata.ownerReferences?.map(({ kind }) => kind))
  const controller = ownerReferences.find((owner) => owner.controller === true)
  if (controller && !kinds.has(controller.kind)) {
    const theirs = `${controller.kind} ${controller.name}`
    return {
      why: 'notOurs',
      message: `MachineConfig ${name} belongs to ${theirs}; delete or rename it`,
    }
  }
  const isOurs = isGenerated(stored) || ownerReferences.some(({ kind }) => kinds.has(kind))
  if (isOurs) return undefined
  return {
    why: 'notOurs',
    message: `MachineConfig ${name} is not by a controller, and stays as it is; delete or rename it`,
  }
}

/** What to do is the same wherever it is found. */
export function otherMakerMessage(stored: Readonly<MachineConfig>): string {
  return `MachineConfig ${stored.metadata.name} was made by ${otherMakerInWords(stored)}, and Machinist does not replace it; see docs/install.md, "Clusters that MCO runs"`
}

/** Labels, annotations and owners that others added stay; the spec is ours alone. */
function mend(
  stored: Readonly<MachineConfig>,
  wanted: Readonly<MachineConfig>,
): MachineConfig | undefined {
  const owners = wanted.metadata.ownerReferences ?? []
  const isReplaced = (one: OwnerReference): boolean =>
    one.controller === true ||
    owners.some(({ kind, name }) => kind === one.kind && name === one.name)
  const { ownerReferences: held = [], ...rest } = stored.metadata
  const ownerReferences = [...held.filter((one) => !isReplaced(one)), ...owners]
  const metadata = {
    ...rest,
    labels: { ...rest.labels, ...wanted.metadata.labels },
    annotations: { ...rest.annotations, ...wanted.metadata.annotations },
    // Servers keep no empty list, so it would be written for ever.
    ...(ownerReferences.length > 0 && { ownerReferences }),
  }
  if (sameJson(metadata, stored.metadata) && sameJson(stored.spec, wanted.spec)) return undefined
  return { ...stored, metadata, spec: wanted.spec! }
}
