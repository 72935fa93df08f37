import { pools } from '../../api/names.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { utf8Length } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { TemplateProblem } from './liquid.ts'
import type { Platform } from './platform.ts'
import { platformOf } from './platform.ts'
import type { PullSecret } from './pull-secret.ts'
import type { RenderedPart } from './render-role.ts'
import { renderRole } from './render-role.ts'
import type { TemplateSet } from './template-set.ts'
import type { Variables } from './variables.ts'
import { variablesOf } from './variables.ts'

/** All that is known when MachineConfigs are to be made from a ControllerConfig. */
export interface Facts {
  readonly controllerConfig: ControllerConfig
  readonly pullSecret: PullSecret
  readonly templates: TemplateSet
}

/** Why a role has no MachineConfigs, or keeps its old ones. */
export interface Problem {
  readonly reason: string
  readonly message: string
}

/** What becomes of one role. */
export interface RoleDecision {
  readonly role: string
  /** `problem` is what the first policy said that does not hold; `policy` is its name. */
  readonly result:
    | { readonly parts: readonly RenderedPart[] }
    | { readonly policy: string; readonly problem: Problem }
}

/** What is worked out for one role on the way through the policies. */
interface Draft {
  readonly facts: Facts
  readonly role: string
  platform?: Platform
  variables?: Variables
  parts?: readonly RenderedPart[]
}

/** One thing that has to be so; the first that is not is the explanation. Each may rely on those before it. */
type Policy = (draft: Draft) => Problem | undefined

const policies = {
  platformIsKnown,
  pullSecretIsGood,
  fieldsAreGood,
  templatesRender,
  partsFitIntoObjects,
} as const satisfies Record<string, Policy>

/** The roles whose MachineConfigs are made: arbiters are there only where the control plane has them. */
export function rolesOf({ spec }: Pick<ControllerConfig, 'spec'>): string[] {
  const hasArbiters = spec.infra?.status?.controlPlaneTopology === 'HighlyAvailableArbiter'
  return [pools.master, pools.worker, ...(hasArbiters ? [pools.arbiter] : [])]
}

/** Each role by itself: what is wrong with one never holds back another. */
export function decide(
  facts: Facts,
  roles: readonly string[] = rolesOf(facts.controllerConfig),
): RoleDecision[] {
  return roles.map((role) => ({ role, result: resultOf({ facts, role }) }))
}

function resultOf(draft: Draft): RoleDecision['result'] {
  for (const [policy, holds] of Object.entries(policies)) {
    const problem = holds(draft)
    if (problem) return { policy, problem }
  }
  return { parts: draft.parts ?? [] }
}

function platformIsKnown(draft: Draft): Problem | undefined {
  return problemIn(templateReasons.badPlatform, () => {
    draft.platform = platformOf(draft.facts.controllerConfig)
  })
}

function pullSecretIsGood({ facts: { pullSecret } }: Draft): Problem | undefined {
  return 'problem' in pullSecret ? pullSecret.problem : undefined
}

function fieldsAreGood(draft: Draft): Problem | undefined {
  const { controllerConfig, pullSecret } = draft.facts
  const text = 'text' in pullSecret ? pullSecret.text : ''
  return problemIn(templateReasons.badControllerConfig, () => {
    draft.variables = variablesOf(controllerConfig, draft.platform!, text)
  })
}

function templatesRender(draft: Draft): Problem | undefined {
  const { facts, role, platform, variables } = draft
  return problemIn(templateReasons.badTemplate, () => {
    draft.parts = renderRole(facts.templates, role, platform!.directories, variables!)
  })
}

/** What etcd stores at most in one object; with some room for what is around the spec. */
const largestSpec = 1_500_000

function partsFitIntoObjects({ parts = [] }: Draft): Problem | undefined {
  const large = parts.find(({ spec }) => utf8Length(JSON.stringify(spec)) > largestSpec)
  if (!large) return undefined
  return {
    reason: templateReasons.tooLarge,
    message: `MachineConfig ${large.name} would have more than ${largestSpec} bytes, which the API server does not store`,
  }
}

function problemIn(reason: string, act: () => void): Problem | undefined {
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
