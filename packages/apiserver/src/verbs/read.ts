import type { ApiObject } from '../kinds/kind-rules.ts'
import { notFound } from '../refusal.ts'
import { refusedOf } from './object-checks.ts'
import { objectKey } from './object-key.ts'
import { shownObject } from './stored-object.ts'
import type { NamedTarget } from './update.ts'
import type { VerbContext } from './verb-context.ts'

export function read({ store }: Pick<VerbContext, 'store'>, target: NamedTarget): ApiObject {
  const stored = store.get(objectKey(target.kind, target.namespace, target.name))
  if (!stored) throw notFound(refusedOf(target, target.name))
  return shownObject(target.kind, stored)
}
