import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { keyOf } from '@machinist/core/objects/resource'
import { mergePatch } from '@machinist/kube/patch'
import type { StoreOptions } from '../generated/store.ts'
import { storedTemplatesKey, storedTemplatesText } from '../render/stored-templates.ts'
import type { RoleDecision } from './decide.ts'
import type { RoleReport } from './status.ts'
import { isStored } from './status.ts'

/**
 * Records the stored MachineConfigs of each role on the ControllerConfig, so that the render controller waits for all of them. A
 * role that is not completely stored keeps its record.
 */
export async function recordStored(
  controllerConfig: ControllerConfig,
  decisions: readonly RoleDecision[],
  reports: readonly RoleReport[],
  { client, signal }: StoreOptions,
): Promise<void> {
  const before = controllerConfig.metadata.annotations ?? {}
  const changes = Object.entries(recordOf(before, decisions, reports)).filter(
    ([key, text]) => (before[key] ?? null) !== text,
  )
  if (changes.length === 0) return
  const patch = mergePatch({ metadata: { annotations: Object.fromEntries(changes) } })
  await client.patch(controllerConfigs, keyOf(controllerConfig), patch, { signal })
}

/** The desired annotations; null for a role that no longer exists. */
function recordOf(
  before: Readonly<Record<string, string>>,
  decisions: readonly RoleDecision[],
  reports: readonly RoleReport[],
): Record<string, string | null> {
  const stored = new Set(reports.filter(isStored).map(({ role }) => role))
  const kept = new Set(decisions.map(({ role }) => storedTemplatesKey(role)))
  const isObsolete = (key: string): boolean =>
    key.startsWith(ownControllerConfigAnnotations.templatesPrefix) && !kept.has(key)
  return Object.fromEntries([
    ...Object.keys(before).flatMap((key) => (isObsolete(key) ? [[key, null]] : [])),
    ...decisions.flatMap(({ role, result }) =>
      'parts' in result && stored.has(role)
        ? [[storedTemplatesKey(role), storedTemplatesText(result.parts)]]
        : [],
    ),
  ])
}
