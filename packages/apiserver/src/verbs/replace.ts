import type { ApiObject } from '../kinds/kind-rules.ts'
import { create } from './create.ts'
import { objectKey } from './object-key.ts'
import type { NamedTarget } from './update.ts'
import { checkPlace, update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

/** `created` tells 201 from 200. */
export interface Replaced {
  readonly object: ApiObject
  readonly created: boolean
}

/** PUT: the whole object. Some kinds are made that way too. */
export async function replace(
  context: VerbContext,
  target: NamedTarget,
  sent: ApiObject,
  options: WriteOptions,
): Promise<Replaced> {
  const { kind, namespace, name, subresource } = target
  const made = kind.rules?.createdByUpdate === true && subresource === undefined
  if (made && !context.store.get(objectKey(kind, namespace, name))) {
    checkPlace(target, sent)
    const { resourceVersion: _, ...metadata } = sent.metadata
    return { object: await create(context, target, { ...sent, metadata }, options), created: true }
  }
  const object = await update(context, target, () => sent, { ...options, whole: true })
  return { object, created: false }
}
