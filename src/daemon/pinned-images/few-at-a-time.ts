/** Works on all of these, no more than a few at a time; stops beginning new ones when the work says so. */
export async function fewAtATime<T>(
  items: readonly T[],
  most: number,
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
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
}
