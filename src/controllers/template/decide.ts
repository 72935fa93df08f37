import { labels } from '../../api/labels.ts'
import { describeOtherOperator, otherOperatorOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import { otherMakerMessage } from '../generated/store.ts'
import { storedTemplatesText } from '../render/stored-templates.ts'
import type { TemplateFacts } from './facts.ts'
import { machineConfigOf } from './machine-config.ts'
import type { RenderedRole, RoleProblem } from './roles.ts'
import { renderRoles } from './roles.ts'

export type TemplatePlan =
  | { readonly type: 'roles'; readonly roles: readonly RolePlan[] }
  /** Nothing is known about any role; the failure is retried. */
  | { readonly type: 'unfinished'; readonly failure: unknown }

export type RolePlan =
  /** The templates cannot be rendered. */
  | { readonly role: string; readonly action: 'reject'; readonly problem: RoleProblem }
  /** Another controller manages the role. */
  | {
      readonly role: string
      readonly action: 'withhold'
      readonly configs: readonly MachineConfig[]
      readonly problem: RoleProblem
    }
  | {
      readonly role: string
      readonly action: 'store'
      readonly configs: readonly MachineConfig[]
      /** The digests of the MachineConfigs, for the annotation of the ControllerConfig. */
      readonly record: string
    }

/** Pure: the MachineConfigs of each role. */
export function decide(facts: TemplateFacts): TemplatePlan {
  const { readFailure } = facts
  if (readFailure !== undefined) return { type: 'unfinished', failure: readFailure }
  try {
    return { type: 'roles', roles: renderRoles(facts).map((role) => decideRole(role, facts)) }
  } catch (failure) {
    return { type: 'unfinished', failure }
  }
}

function decideRole({ role, result }: RenderedRole, facts: TemplateFacts): RolePlan {
  if ('problem' in result) return { role, action: 'reject', problem: result.problem }
  const { controllerConfig, maker } = facts
  const configs = result.parts.map((part) => machineConfigOf(part, role, controllerConfig, maker))
  const problem = foreignProblem(role, configs, facts) ?? otherOperatorProblem(controllerConfig)
  if (problem) return { role, action: 'withhold', configs, problem }
  return { role, action: 'store', configs, record: storedTemplatesText(result.parts) }
}

/**
 * A role with templates of another controller gets none of Machinist: a mixture would render a wrong config, and the other
 * controller would reject it.
 */
function foreignProblem(
  role: string,
  configs: readonly MachineConfig[],
  { foreignConfigs }: TemplateFacts,
): RoleProblem | undefined {
  const byName = new Map(foreignConfigs.map((one) => [one.metadata.name, one]))
  const isOfRole = (one: Readonly<MachineConfig>): boolean =>
    owningControllerConfig(one) === names.controllerConfig &&
    one.metadata.labels?.[labels.role] === role
  const [foreign] = [
    ...configs.flatMap(({ metadata }) => byName.get(metadata.name) ?? []),
    ...foreignConfigs.filter(isOfRole),
  ]
  return foreign && { reason: templateReasons.otherMaker, message: otherMakerMessage(foreign) }
}

/** The ControllerConfig of another operator is used for plans only, even for roles without MachineConfigs. */
function otherOperatorProblem(controllerConfig: ControllerConfig): RoleProblem | undefined {
  if (otherOperatorOf(controllerConfig) === undefined) return undefined
  const name = `ControllerConfig ${controllerConfig.metadata.name}`
  const message = `${name} was written by ${describeOtherOperator(controllerConfig)}, and Machinist generates no MachineConfigs from it; see docs/install.md, "Clusters that MCO runs"`
  return { reason: templateReasons.otherMaker, message }
}
