import type { WriteScene } from '../kinds/kind-rules.ts'
import { prefixOf } from './object-key.ts'
import { shownObject } from './stored-object.ts'
import type { Target, VerbContext, WriteOptions } from './verb-context.ts'

/** What the rules of a kind may know about the write at hand. */
export function sceneOf(
  { clock, random, store }: Pick<VerbContext, 'clock' | 'random' | 'store'>,
  { kind, subresource }: Target,
  { user }: Pick<WriteOptions, 'user'>,
): WriteScene {
  return {
    now: clock.now(),
    random,
    siblings: () =>
      store.range({ prefix: prefixOf(kind) }).map((stored) => shownObject(kind, stored)),
    ...(user ? { user } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  }
}
