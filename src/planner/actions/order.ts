/**
 * Merges lists into one without duplicates that keeps the order within every list: a daemon-reload that one list has before a restart
 * precedes that restart also if another list requires it. Otherwise, and if the lists contradict each other, the first occurrence
 * decides.
 */
export function inRequestedOrder(lists: readonly (readonly string[])[]): string[] {
  const before = new Map<string, Set<string>>()
  for (const list of lists) {
    for (const [i, item] of list.entries()) {
      const known = before.get(item) ?? new Set()
      before.set(item, known)
      const previous = list[i - 1]
      if (previous !== undefined && previous !== item) known.add(previous)
    }
  }
  const order: string[] = []
  const left = new Set(before.keys())
  while (left.size > 0) {
    const candidates = [...left]
    const isFree = (item: string): boolean => left.intersection(before.get(item)!).size === 0
    const next = candidates.find(isFree) ?? candidates[0]!
    left.delete(next)
    order.push(next)
  }
  return order
}
