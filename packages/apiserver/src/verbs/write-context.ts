import type { WriteContext } from '../kinds/kind-rules.ts'
import { prefixOf } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { Target, VerbContext, WriteOptions } from './verb-context.ts'

/** The context of a write for the rules of its kind. */
export function writeContextOf(
  { clock, random, store }: Pick<VerbContext, 'clock' | 'random' | 'store'>,
  { kind, subresource }: Target,
  { user }: Pick<WriteOptions, 'user'>,
): WriteContext {
  return {
    now: clock.now(),
    random,
    siblings: () =>
      store.range({ prefix: prefixOf(kind) }).map((stored) => toServedObject(kind, stored)),
    ...(user ? { user } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  }
}
