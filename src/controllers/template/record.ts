import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import { keyOf } from '@machinist/core/resource'
import { mergePatch } from '@machinist/kube/patch'
import type { StoreOptions } from '../generated/store.ts'
import { storedTemplatesKey, storedTemplatesText } from '../render/stored-templates.ts'
import type { RoleDecision } from './decide.ts'
import type { RoleReport } from './status.ts'
import { isStored } from './status.ts'

/**
 * Says on the ControllerConfig what each role came to, so that nobody takes half of it for the whole. A role that is not all
 * stored keeps what is said of it.
 */
export async function recordStored(
  controllerConfig: ControllerConfig,
  decisions: readonly RoleDecision[],
  reports: readonly RoleReport[],
  { client, signal }: StoreOptions,
): Promise<void> {
  const said = controllerConfig.metadata.annotations ?? {}
  const changes = Object.entries(recordOf(said, decisions, reports)).filter(
    ([key, text]) => (said[key] ?? null) !== text,
  )
  if (changes.length === 0) return
  const patch = mergePatch({ metadata: { annotations: Object.fromEntries(changes) } })
  await client.patch(controllerConfigs, keyOf(controllerConfig), patch, { signal })
}

/** What is to be said; null where there is no such role any more. */
function recordOf(
  said: Readonly<Record<string, string>>,
  decisions: readonly RoleDecision[],
  reports: readonly RoleReport[],
): Record<string, string | null> {
  const stored = new Set(reports.filter(isStored).map(({ role }) => role))
  const kept = new Set(decisions.map(({ role }) => storedTemplatesKey(role)))
  const isOver = (key: string): boolean =>
    key.startsWith(ownControllerConfigAnnotations.templatesPrefix) && !kept.has(key)
  return Object.fromEntries([
    ...Object.keys(said).flatMap((key) => (isOver(key) ? [[key, null]] : [])),
    ...decisions.flatMap(({ role, result }) =>
      'parts' in result && stored.has(role)
        ? [[storedTemplatesKey(role), storedTemplatesText(result.parts)]]
        : [],
    ),
  ])
}
