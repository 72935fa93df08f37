/**
 * Merges lists of mirrors, each in order of preference (a topological sort). The order of every list is kept where possible;
 * ties and cycles are resolved alphabetically. The order of the lists does not matter.
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
    // `take` appends to `free`.
    while (free.length > 0) take(free.shift()!)
    // The remaining names are in a cycle or follow one: continue with the first.
    if (!order.has(first)) take(first)
  }
  while (free.length > 0) take(free.shift()!)
  return [...order]
}
