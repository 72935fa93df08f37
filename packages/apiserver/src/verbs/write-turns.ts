import type { Target, VerbContext } from './verb-context.ts'

/** The last write of a kind that is written one at a time. */
const lastWrites = new WeakMap<object, Promise<unknown>>()

/** Acts when the write before is done, where the kind asks for that: only then is it known what is still free. */
export async function inTurn<Result>(
  { store }: Pick<VerbContext, 'store'>,
  { kind }: Pick<Target, 'kind'>,
  act: () => Promise<Result>,
): Promise<Result> {
  if (kind.rules?.oneAtATime !== true) return act()
  const before = lastWrites.get(store) ?? Promise.resolve()
  const mine = before.then(act, act)
  lastWrites.set(store, mine)
  return mine
}
