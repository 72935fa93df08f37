import { isObject } from '../../base/json.ts'
import type { Condition } from '../../base/resource.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { hasStatus } from './create.ts'
import type { Target } from './verb-context.ts'

/** Each door changes its own part of an object; the other parts stay as they were, silently. */
export function withSubresource(target: Target, before: ApiObject, wanted: ApiObject): ApiObject {
  switch (target.subresource) {
    case 'status':
      return statusOnly(target, before, wanted)
    case 'approval':
      return approvalOnly(before, wanted)
    case 'finalize':
      return { ...before, metadata: wanted.metadata, spec: wanted['spec'] }
    case undefined:
    default:
      return hasStatus(target.kind) ? withStatus(wanted, before['status']) : wanted
  }
}

function statusOnly({ kind }: Target, before: ApiObject, wanted: ApiObject): ApiObject {
  const { managedFields } = wanted.metadata
  // Through /status, custom resources keep all their metadata; built-in ones may change labels on the way.
  const metadata = kind.builtIn ? wanted.metadata : { ...before.metadata, managedFields }
  const object = withStatus({ ...before, metadata }, wanted['status'])
  return kind.plural === 'certificatesigningrequests' ? keepingApproval(before, object) : object
}

function withStatus(object: ApiObject, status: unknown): ApiObject {
  const { status: _, ...rest } = object
  return status === undefined ? rest : { ...rest, status }
}

const decided = new Set(['Approved', 'Denied'])

/** Who may sign is not who may approve: signers change everything in a status but the decision. */
function keepingApproval(before: ApiObject, object: ApiObject): ApiObject {
  const decision = conditionsOf(before).filter(({ type }) => decided.has(type))
  const others = conditionsOf(object).filter(({ type }) => !decided.has(type))
  return withConditions(object, [...decision, ...others])
}

function approvalOnly(before: ApiObject, wanted: ApiObject): ApiObject {
  return withConditions({ ...before, metadata: wanted.metadata }, conditionsOf(wanted))
}

function withConditions(object: ApiObject, conditions: Condition[]): ApiObject {
  const status = isObject(object['status']) ? object['status'] : {}
  return conditions.length === 0 ? object : { ...object, status: { ...status, conditions } }
}

function conditionsOf(object: ApiObject): Condition[] {
  const { conditions } = (object['status'] ?? {}) as { conditions?: unknown }
  return Array.isArray(conditions) ? (conditions as Condition[]) : []
}
