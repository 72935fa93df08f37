import type { ApiObject } from '../kinds/kind-rules.ts'
import { notFound } from '../status/status-error.ts'
import { objectKey } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import { errorObjectOf } from './object-checks.ts'
import type { NamedTarget } from './update.ts'
import type { VerbContext } from './verb-context.ts'

export function read({ store }: Pick<VerbContext, 'store'>, target: NamedTarget): ApiObject {
  const stored = store.get(objectKey(target.kind, target.namespace, target.name))
  if (!stored) throw notFound(errorObjectOf(target, target.name))
  return toServedObject(target.kind, stored)
}
