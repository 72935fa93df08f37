import { Stalled } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { templateReasons } from '../../api/reasons.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { TemplateCaches } from './inputs.ts'
import { templateInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { TemplatePass } from './report.ts'
import { report } from './report.ts'
import { isPullSecretWatched } from './pull-secret.ts'
import { problemsOf } from './status.ts'
import type { TemplateSet } from './template-set.ts'

export interface TemplateSettings {
  readonly maker: Maker
  readonly templates: TemplateSet
  /** Receives templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates
}

/** Generates the MachineConfigs of the built-in roles from the ControllerConfig. The key is the name of the ControllerConfig. */
export function templateController(
  context: ControllerContext,
  caches: TemplateCaches,
  { maker, templates, withheld }: TemplateSettings,
): Controller {
  const generatedNames = new Set<string>()
  const reported = new Map<string, string>()
  const failing = context.metrics.gauge({
    name: 'machinist_templates_failing',
    help: '1 if the templates of a role fail to render or to be stored, else 0.',
    labels: ['role'],
  })
  return stepController(context, {
    name: 'template',
    inputs: templateInputs(caches, generatedNames),
    outputs: ['MachineConfig', 'ControllerConfig'],
    gather: (name, step) => gather(name, { caches, maker, templates }, step),
    decide,
    act: (plan, facts, step) => act(plan, facts, { ...step, caches, withheld, generatedNames }),
    report: (pass, step) => report(pass, { ...step, failing, reported }),
    next,
  })
}

/** Requeue interval for changes without an event: another pull secret, or a rejected write. */
const requeueMs = 60_000
const refusals: ReadonlySet<string> = new Set([
  templateReasons.refused,
  templateReasons.pullSecretUnreadable,
])

function next({ facts, result }: TemplatePass & { readonly type: 'acted' }): Outcome {
  if (result.failures.length > 0) throw result.failures[0]
  const problems = problemsOf(result.reports)
  // RBAC or admission rules that rejected a write may change.
  const isRefused = problems.some(({ problem }) => refusals.has(problem.reason))
  const isWatched = isPullSecretWatched(facts.controllerConfig)
  if (isRefused || !isWatched) return requeueAfter(requeueMs)
  const [first] = problems
  if (first) throw new Stalled(first.problem.reason, `${first.role}: ${first.problem.message}`)
  return settled
}
