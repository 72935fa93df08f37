import { isObject } from '@machinist/core/json'
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
    case 'binding':
      return wanted
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
  return withStatus({ ...before, metadata }, wanted['status'])
}

function withStatus(object: ApiObject, status: unknown): ApiObject {
  const { status: _, ...rest } = object
  return status === undefined ? rest : { ...rest, status }
}

function approvalOnly(before: ApiObject, wanted: ApiObject): ApiObject {
  const { conditions } = sectionOf(wanted)
  const status = { ...sectionOf(before), conditions }
  return { ...before, metadata: wanted.metadata, status }
}

const sectionOf = ({ status }: ApiObject): Record<string, unknown> =>
  isObject(status) ? status : {}
