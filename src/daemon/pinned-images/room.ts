/** What pulls would bring, and what there is. */
export interface Room {
  /** For each image that is not there, bytes by layer; undefined where nobody can tell. */
  readonly layers: readonly (ReadonlyMap<string, number> | undefined)[]
  readonly freeBytes: number
  readonly keepFreeBytes: number
}

/** Layers are packed when they come, and take about as much again when they are unpacked. */
const unpacked = 2

/** Pure. Why there is too little room for all of it; undefined if there is enough. Layers that images share count once. */
export function shortage({ layers, freeBytes, keepFreeBytes }: Room): string | undefined {
  const sizes = new Map(layers.flatMap((each) => [...(each ?? [])]))
  const needed = unpacked * [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (freeBytes - needed > keepFreeBytes) return undefined
  const images = layers.length === 1 ? '1 image' : `${layers.length} images`
  return `${images} would take ${inWords(needed)}, and ${inWords(keepFreeBytes)} must stay free, but there are only ${inWords(freeBytes)}: make room on the node, or pin less`
}

export function inWords(bytes: number): string {
  const gibibytes = Math.round((bytes / 1024 ** 3) * 10) / 10
  return gibibytes >= 0.1 || bytes === 0
    ? `${gibibytes} GiB`
    : `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`
}
