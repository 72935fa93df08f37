import type { Gauge } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { conditionOf, roleTemplatesFailing } from '../../api/conditions.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import { templateEvents } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { TemplateResult } from './act.ts'
import type { TemplatePlan } from './decide.ts'
import type { TemplateFacts } from './facts.ts'
import { describeObstacle } from './obstacle.ts'
import { rolesOf } from './roles.ts'
import type { RoleReport } from './status.ts'
import { problemsOf, writeStatus } from './status.ts'

export type TemplatePass = Pass<TemplateFacts, TemplatePlan, TemplateResult>

export interface TemplateReportContext extends StepContext {
  /** Whether the templates of a role fail. */
  readonly failing: Gauge<'role'>
  /** The last message per role: the ControllerConfig of another operator gets no condition. */
  readonly reported: Map<string, string>
}

/** Metrics, an event for each new problem, and the status of the ControllerConfig. */
export async function report(pass: TemplatePass, context: TemplateReportContext): Promise<void> {
  const { controllerConfig } = pass.facts
  const reports = reportsOf(pass)
  for (const role of reports) reportRole(role, controllerConfig, context)
  // Another operator's template controller owns the status of that operator's ControllerConfig.
  if (otherOperatorOf(controllerConfig) === undefined) {
    await writeStatus(controllerConfig, reports, context)
  }
  // A failure is logged when it is thrown.
  if (pass.type === 'failed' || pass.result.failures.length > 0) return
  for (const { role, problem } of problemsOf(reports)) {
    context.log.info('templates of a role failed', { role, why: problem.message })
  }
}

function reportsOf(pass: TemplatePass): readonly RoleReport[] {
  if (pass.type === 'acted') return pass.result.reports
  const unfinished = describeObstacle(pass.failure)
  return rolesOf(pass.facts.controllerConfig).map((role) => ({ role, unfinished }))
}

/** The condition has the previous message. */
function reportRole(
  { role, problem }: RoleReport,
  controllerConfig: ControllerConfig,
  { events, failing, reported }: TemplateReportContext,
): void {
  failing.set({ role }, problem ? 1 : 0)
  const { conditions } = controllerConfig.status ?? {}
  const previous =
    otherOperatorOf(controllerConfig) === undefined
      ? conditionOf(conditions, roleTemplatesFailing(role))?.message
      : reported.get(role)
  reported.set(role, problem?.message ?? '')
  if (!problem || previous === problem.message) return
  const message = `the templates of ${role} failed: ${problem.message}`
  events.warning(
    referenceTo(controllerConfigs, controllerConfig),
    templateEvents.templatesFailed,
    message,
  )
}
