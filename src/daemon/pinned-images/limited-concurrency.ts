/** Runs `work` for all items, at most `limit` at a time; starts no new one after it returns `stop`. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<'next' | 'stop'>,
): Promise<void> {
  const left = items.values()
  let isOver = false
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (isOver) return
      if ((await work(item)) === 'stop') isOver = true
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
