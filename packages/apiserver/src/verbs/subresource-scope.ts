import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { hasStatus } from './create.ts'
import type { Target } from './verb-context.ts'

/** Each subresource changes only its part of an object; changes of other parts are ignored. */
export function withSubresource(target: Target, before: ApiObject, desired: ApiObject): ApiObject {
  switch (target.subresource) {
    case 'status':
      return statusOnly(target, before, desired)
    case 'approval':
      return approvalOnly(before, desired)
    case 'binding':
      return desired
    case 'finalize':
      return { ...before, metadata: desired.metadata, spec: desired['spec'] }
    case undefined:
    default:
      return hasStatus(target.kind) ? withStatus(desired, before['status']) : desired
  }
}

function statusOnly({ kind }: Target, before: ApiObject, desired: ApiObject): ApiObject {
  const { managedFields } = desired.metadata
  // Through /status, custom resources keep all their metadata; built-in kinds can change labels.
  const metadata = kind.builtIn ? desired.metadata : { ...before.metadata, managedFields }
  return withStatus({ ...before, metadata }, desired['status'])
}

function withStatus(object: ApiObject, status: unknown): ApiObject {
  const { status: _, ...rest } = object
  return status === undefined ? rest : { ...rest, status }
}

function approvalOnly(before: ApiObject, desired: ApiObject): ApiObject {
  const { conditions } = sectionOf(desired)
  const status = { ...sectionOf(before), conditions }
  return { ...before, metadata: desired.metadata, status }
}

const sectionOf = ({ status }: ApiObject): Record<string, unknown> =>
  isObject(status) ? status : {}
