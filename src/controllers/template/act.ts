import type { StepContext } from '@machinist/kube/controller/step-controller'
import { labels } from '../../api/labels.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { configsOfTemplates } from '../generated/caches.ts'
import { isGenerated } from '../generated/machine-config.ts'
import { deleteConfigs, storeConfig } from '../generated/store.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { RolePlan, TemplatePlan } from './decide.ts'
import type { TemplateFacts } from './facts.ts'
import type { TemplateCaches } from './inputs.ts'
import { describeObstacle } from './obstacle.ts'
import { recordStored } from './record.ts'
import type { RoleProblem } from './roles.ts'
import type { RoleReport } from './status.ts'
import { isStored } from './status.ts'

export interface TemplateWriteContext extends Pick<StepContext, 'client' | 'signal'> {
  readonly caches: Pick<TemplateCaches, 'machineConfigs'>
  /** Receives templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates | undefined
  /** The names of the last rendering. */
  readonly generatedNames: Set<string>
}

export interface TemplateResult {
  /** One for every role. */
  readonly reports: readonly RoleReport[]
  readonly failures: readonly unknown[]
}

/** Stores each role, deletes stale MachineConfigs, and records the stored ones. A failure does not stop the others. */
export async function act(
  plan: TemplatePlan,
  { controllerConfig }: TemplateFacts,
  context: TemplateWriteContext,
): Promise<TemplateResult> {
  if (plan.type === 'unfinished') throw plan.failure
  const { roles } = plan
  rememberNames(roles, context.generatedNames)
  const failures: unknown[] = []
  const reports: RoleReport[] = []
  for (const role of roles) reports.push(await apply(role, failures, context))
  if (otherOperatorOf(controllerConfig) !== undefined) return { reports, failures }
  try {
    await deleteStale(reports, context)
  } catch (error) {
    failures.push(error)
  }
  try {
    // Before the status is Completed, so that readers of the status see the record.
    await recordStored(controllerConfig, roles, reports, context)
    return { reports, failures }
  } catch (error) {
    const unfinished = describeObstacle(error)
    const unrecorded = reports.map((one) => (one.problem ? one : { role: one.role, unfinished }))
    return { reports: unrecorded, failures: [...failures, error] }
  }
}

function rememberNames(roles: readonly RolePlan[], generatedNames: Set<string>): void {
  generatedNames.clear()
  for (const role of roles) {
    if (role.action === 'reject') continue
    for (const { metadata } of role.configs) generatedNames.add(metadata.name)
  }
}

async function apply(
  plan: RolePlan,
  failures: unknown[],
  { withheld, ...context }: TemplateWriteContext,
): Promise<RoleReport> {
  const { role } = plan
  withheld?.set(role, plan.action === 'withhold' ? plan.configs : undefined)
  return plan.action === 'store'
    ? await store(role, plan.configs, failures, context)
    : { role, problem: plan.problem }
}

async function store(
  role: string,
  configs: readonly MachineConfig[],
  failures: unknown[],
  { client, signal, caches }: TemplateWriteContext,
): Promise<RoleReport> {
  const problems: RoleProblem[] = []
  let unfinished: string | undefined
  for (const desired of configs) {
    const { name } = desired.metadata
    const stored = caches.machineConfigs.get(name)
    try {
      const problem = await storeConfig(desired, stored, { client, signal })
      if (problem) {
        problems.push({ reason: templateReasons[problem.why], message: problem.message })
      }
    } catch (error) {
      failures.push(error)
      unfinished ??= `MachineConfig ${name}: ${describeObstacle(error)}`
    }
  }
  const [problem] = problems
  return { role, ...(unfinished && { unfinished }), ...(problem && { problem }) }
}

/** A role that failed to render or to be stored keeps all of its MachineConfigs. */
async function deleteStale(
  reports: readonly RoleReport[],
  { client, signal, caches, generatedNames }: TemplateWriteContext,
): Promise<void> {
  const done = new Set(reports.filter(isStored).map(({ role }) => role))
  const isStale = (one: Readonly<MachineConfig>): boolean =>
    !generatedNames.has(one.metadata.name) &&
    done.has(one.metadata.labels?.[labels.role] ?? '') &&
    isGenerated(one)
  const existing = configsOfTemplates(caches.machineConfigs)
  await deleteConfigs(existing.filter(isStale), { client, signal })
}
