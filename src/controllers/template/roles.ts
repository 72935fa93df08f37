import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { utf8Length } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { pools } from '../../api/names.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TemplateInput } from './facts.ts'
import { TemplateProblem } from './liquid/liquid.ts'
import type { TemplatePlatform } from './platform.ts'
import { platformOf } from './platform.ts'
import type { RenderedPart } from './render-role.ts'
import { renderRole } from './render-role.ts'
import type { TemplateVariables } from './variables.ts'
import { variablesOf } from './variables.ts'

/** Why a role gets no MachineConfigs, or keeps its old ones. */
export interface RoleProblem {
  readonly reason: string
  readonly message: string
}

/** The result for one role. */
export interface RenderedRole {
  readonly role: string
  /** `check` is the name of the first check that failed. */
  readonly result:
    | { readonly parts: readonly RenderedPart[] }
    | { readonly check: string; readonly problem: RoleProblem }
}

/** The intermediate results for one role. */
export interface RoleDraft {
  readonly facts: TemplateInput
  readonly role: string
  platform?: TemplatePlatform
  variables?: TemplateVariables
  parts?: readonly RenderedPart[]
}

/** The roles with templates; arbiter only with a control plane that has arbiters. */
export function rolesOf({ spec }: Pick<ControllerConfig, 'spec'>): string[] {
  const hasArbiters = spec.infra?.status?.controlPlaneTopology === 'HighlyAvailableArbiter'
  return [pools.master, pools.worker, ...(hasArbiters ? [pools.arbiter] : [])]
}

/** Renders each role separately: a problem of one role never blocks another. */
export function renderRoles(
  facts: TemplateInput,
  roles: readonly string[] = rolesOf(facts.controllerConfig),
): RenderedRole[] {
  return roles.map((role) => ({ role, result: resultOf({ facts, role }) }))
}

function resultOf(draft: RoleDraft): RenderedRole['result'] {
  const failed = roleChain.evaluate(draft)
  return failed ? { check: failed.check, problem: failed.result } : { parts: draft.parts ?? [] }
}

function platformIsKnown(draft: RoleDraft): RoleProblem | undefined {
  return problemIn(templateReasons.badPlatform, () => {
    draft.platform = platformOf(draft.facts.controllerConfig)
  })
}

function pullSecretIsValid({ facts: { pullSecret } }: RoleDraft): RoleProblem | undefined {
  return 'problem' in pullSecret ? pullSecret.problem : undefined
}

function fieldsAreValid(draft: RoleDraft): RoleProblem | undefined {
  const { controllerConfig, pullSecret } = draft.facts
  const text = 'text' in pullSecret ? pullSecret.text : ''
  return problemIn(templateReasons.badControllerConfig, () => {
    draft.variables = variablesOf(controllerConfig, draft.platform!, text)
  })
}

function templatesRender(draft: RoleDraft): RoleProblem | undefined {
  const { facts, role, platform, variables } = draft
  return problemIn(templateReasons.badTemplate, () => {
    draft.parts = renderRole(facts.templates, role, platform!.directories, variables!)
  })
}

/** The largest request that etcd accepts, minus some room for metadata. */
const maxSpecBytes = 1_500_000

function partsFitIntoObjects({ parts = [] }: RoleDraft): RoleProblem | undefined {
  const large = parts.find(({ spec }) => utf8Length(JSON.stringify(spec)) > maxSpecBytes)
  if (!large) return undefined
  return {
    reason: templateReasons.tooLarge,
    message: `MachineConfig ${large.name} would have more than ${maxSpecBytes} bytes, which is more than the API server stores`,
  }
}

/** The steps of rendering one role. Each step depends on the results of those before it. */
const roleChain = DecisionChain.of<RoleDraft, RoleProblem>(
  { platformIsKnown, pullSecretIsValid, fieldsAreValid, templatesRender, partsFitIntoObjects },
  ({ message }) => message,
)

function problemIn(reason: string, act: () => void): RoleProblem | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof TemplateProblem) {
      return { reason, message: error.message }
    }
    throw error
  }
}
