import { Stalled, Waiting } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { requeueAfterMs } from '../generated/requeue.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import type { NodeSettingsCaches } from './inputs.ts'
import { nodeSettingsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import type { NodeSettingsFacts } from './facts.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { NodeSettingsPass } from './report.ts'
import { report } from './report.ts'
import { groupByPool } from './failure.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

export interface NodeSettingsControllerSettings<
  T extends NodeSettings,
  Context,
> extends GeneratorSettings {
  readonly kind: SettingsKind<T, Context>
}

/** Objects of a settings kind → MachineConfigs of the selected pools. Keys are names of objects. */
export function nodeSettingsController<T extends NodeSettings, Context>(
  context: ControllerContext,
  caches: NodeSettingsCaches,
  { kind, maker }: NodeSettingsControllerSettings<T, Context>,
): Controller {
  const { resource } = kind
  const failing = settingsFailing(context.metrics)
  return stepController(context, {
    name: kind.controller,
    inputs: nodeSettingsInputs(caches, kind),
    outputs: ['MachineConfig', resource.kind],
    gather: (name, step) => gather(name, { kind, caches, maker }, step),
    decide: (facts: NodeSettingsFacts<T, Context>) => decide(facts, kind),
    act: (plan, facts, step) => act(plan, facts, resource, step),
    report: (pass, step) => report(pass, kind, { ...step, failing }),
    next,
    forget: (name) => failing.forget({ kind: resource.kind, name }),
  })
}

function next({
  plan,
  result: refused,
}: NodeSettingsPass<NodeSettings, unknown> & { readonly type: 'acted' }): Outcome {
  const { waits } = plan
  if (waits.length > 0) {
    throw new Waiting(nodeSettingsReasons.templatesNotDone, groupByPool(waits), requeueAfterMs)
  }
  const failures = [...plan.failures, ...refused]
  const [first] = failures
  if (!first) return settled
  // RBAC or admission policies that rejected the write may change without a watch event.
  const isRefused = failures.some(({ reason }) => reason === nodeSettingsReasons.refused)
  if (isRefused) return requeueAfter(requeueAfterMs)
  throw new Stalled(first.reason, groupByPool(failures))
}
