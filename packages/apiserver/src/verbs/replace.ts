import type { ApiObject } from '../kinds/kind-rules.ts'
import { objectKey } from '../objects/object-key.ts'
import { create } from './create.ts'
import type { NamedTarget } from './update.ts'
import { checkPlace, update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

/** `created` distinguishes 201 from 200. */
export interface ReplaceResult {
  readonly object: ApiObject
  readonly created: boolean
}

/** PUT: replaces the object. Some kinds can be created this way. */
export async function replace(
  context: VerbContext,
  target: NamedTarget,
  sent: ApiObject,
  options: WriteOptions,
): Promise<ReplaceResult> {
  const { kind, namespace, name, subresource } = target
  const made = kind.rules?.allowsCreateOnUpdate === true && subresource === undefined
  if (made && !context.store.get(objectKey(kind, namespace, name))) {
    checkPlace(target, sent)
    const { resourceVersion: _, ...metadata } = sent.metadata
    return { object: await create(context, target, { ...sent, metadata }, options), created: true }
  }
  const object = await update(context, target, () => sent, { ...options, whole: true })
  return { object, created: false }
}
