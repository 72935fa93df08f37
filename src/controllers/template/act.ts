import { annotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { controllerConfigs, machineConfigs } from '../../api/resources.ts'
import { sameJson } from '../../base/json.ts'
import { keyOf } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import {
  isAlreadyExists,
  isNotFound,
  isRefused,
  refusalInWords,
  withoutQuotes,
} from '../../kube/failure.ts'
import type { Problem } from './decide.ts'

export interface ActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Stores a MachineConfig, or mends it where it is not as wanted; what is as wanted is left alone. */
export async function store(
  wanted: MachineConfig,
  stored: Readonly<MachineConfig> | undefined,
  { client, signal }: ActOptions,
): Promise<Problem | undefined> {
  try {
    if (!stored) {
      await client.create(machineConfigs, wanted, { signal })
      return undefined
    }
    const problem = ownerProblem(stored)
    if (problem) return problem
    const mended = mend(stored, wanted)
    if (mended) await client.replace(machineConfigs, mended, { signal })
    return undefined
  } catch (error) {
    // The cache has not seen it yet. When it does, we are called again and look at it.
    if (isAlreadyExists(error)) return undefined
    if (!isRefused(error)) throw withoutQuotes(error)
    const message = refusalInWords(`MachineConfig ${wanted.metadata.name}`, error)
    return { reason: templateReasons.refused, message }
  }
}

/** Removes what these templates no longer make. Roles that are not among these keep what they have. */
export async function removeStale(
  made: readonly Readonly<MachineConfig>[],
  wanted: ReadonlySet<string>,
  roles: ReadonlySet<string>,
  { client, signal }: ActOptions,
): Promise<void> {
  for (const one of made) {
    const { name, uid } = one.metadata
    const isOfRole = roles.has(one.metadata.labels?.[labels.role] ?? '')
    const isGenerated = Boolean(one.metadata.annotations?.[annotations.generatedByController])
    if (wanted.has(name) || !isOfRole || !isGenerated) continue
    try {
      await client.remove(machineConfigs, keyOf(one), { ...(uid !== undefined && { uid }), signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** Labels and annotations that others added stay; the spec is ours alone. */
function mend(stored: Readonly<MachineConfig>, wanted: MachineConfig): MachineConfig | undefined {
  const metadata = {
    ...stored.metadata,
    labels: { ...stored.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...stored.metadata.annotations, ...wanted.metadata.annotations },
    ownerReferences: [
      ...(stored.metadata.ownerReferences ?? []).filter(({ controller }) => !controller),
      ...(wanted.metadata.ownerReferences ?? []),
    ],
  }
  if (sameJson(metadata, stored.metadata) && sameJson(stored.spec, wanted.spec)) return undefined
  return { ...stored, metadata, spec: wanted.spec }
}

/** What another controller looks after would be fought over. */
function ownerProblem({ metadata }: Readonly<MachineConfig>): Problem | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (!owner || owner.kind === controllerConfigs.kind) return undefined
  return {
    reason: templateReasons.notOurs,
    message: `MachineConfig ${metadata.name} belongs to ${owner.kind} ${owner.name}; delete or rename it`,
  }
}
