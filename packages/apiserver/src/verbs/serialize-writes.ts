import type { Target, VerbContext } from './verb-context.ts'

/** The last write of each serialized kind. */
const lastWrites = new WeakMap<object, Promise<unknown>>()

/** For serialized kinds, runs after the previous write: only then free values are known. */
export async function serializeWrites<Result>(
  { store }: Pick<VerbContext, 'store'>,
  { kind }: Pick<Target, 'kind'>,
  act: () => Promise<Result>,
): Promise<Result> {
  if (kind.rules?.serialized !== true) return act()
  const before = lastWrites.get(store) ?? Promise.resolve()
  const mine = before.then(act, act)
  lastWrites.set(store, mine)
  return mine
}
