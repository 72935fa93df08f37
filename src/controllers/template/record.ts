import { keyOf } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { mergePatch } from '@machinist/kube/patch'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { storedTemplatesKey } from '../render/stored-templates.ts'
import type { RolePlan } from './decide.ts'
import type { RoleReport } from './status.ts'
import { isStored } from './status.ts'

/**
 * Records the stored MachineConfigs of each role on the ControllerConfig, so that the render controller waits for all of them. A
 * role that is not completely stored keeps its record.
 */
export async function recordStored(
  controllerConfig: ControllerConfig,
  roles: readonly RolePlan[],
  reports: readonly RoleReport[],
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  const before = controllerConfig.metadata.annotations ?? {}
  const changes = Object.entries(recordOf(before, roles, reports)).filter(
    ([key, text]) => (before[key] ?? null) !== text,
  )
  if (changes.length === 0) return
  const patch = mergePatch({ metadata: { annotations: Object.fromEntries(changes) } })
  await client.patch(controllerConfigs, keyOf(controllerConfig), patch, { signal })
}

/** The desired annotations; null for a role that no longer exists. */
function recordOf(
  before: Readonly<Record<string, string>>,
  roles: readonly RolePlan[],
  reports: readonly RoleReport[],
): Record<string, string | null> {
  const stored = new Set(reports.filter(isStored).map(({ role }) => role))
  const kept = new Set(roles.map(({ role }) => storedTemplatesKey(role)))
  const isObsolete = (key: string): boolean =>
    key.startsWith(ownControllerConfigAnnotations.templatesPrefix) && !kept.has(key)
  return Object.fromEntries([
    ...Object.keys(before).flatMap((key) => (isObsolete(key) ? [[key, null]] : [])),
    ...roles.flatMap((plan) =>
      plan.action === 'store' && stored.has(plan.role)
        ? [[storedTemplatesKey(plan.role), plan.record]]
        : [],
    ),
  ])
}
