/**
 * Merges lists that each say which mirror is preferred to which. Every list's order is kept where that is possible; what
 * the lists leave open, and circles among them, are decided by the alphabet. The order of the lists does not matter.
 */
export function preferenceOrder(lists: readonly (readonly string[])[]): string[] {
  const before = new Map<string, Set<string>>()
  const after = new Map<string, Set<string>>()
  for (const name of lists.flat()) {
    before.set(name, new Set())
    after.set(name, new Set())
  }
  for (const list of lists) {
    for (const [i, name] of list.slice(1).entries()) {
      before.get(name)!.add(list[i]!)
      after.get(list[i]!)!.add(name)
    }
  }
  const names = [...before.keys()].sort()
  const free = names.filter((name) => before.get(name)!.size === 0)
  const order = new Set<string>()
  const take = (name: string): void => {
    order.add(name)
    const next = [...after.get(name)!].filter((follower) => {
      before.get(follower)!.delete(name)
      return before.get(follower)!.size === 0 && !order.has(follower)
    })
    free.push(...next.sort())
  }
  for (const first of names) {
    // The list grows while it is walked.
    while (free.length > 0) take(free.shift()!)
    // All that is left is in a circle or behind one: begin somewhere.
    if (!order.has(first)) take(first)
  }
  while (free.length > 0) take(free.shift()!)
  return [...order]
}
