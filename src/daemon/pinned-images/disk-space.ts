/** The disk space that pulls need, and the free space. */
export interface DiskSpace {
  /** Bytes by layer for each missing image; undefined if unknown. */
  readonly layers: readonly (ReadonlyMap<string, number> | undefined)[]
  readonly freeBytes: number
  readonly keepFreeBytes: number
}

/** Compressed layers need about as much again when they are unpacked. */
const unpackedFactor = 2

/** Why the disk space does not suffice; undefined if it does. Pure. Layers that images share count once. */
export function shortage({ layers, freeBytes, keepFreeBytes }: DiskSpace): string | undefined {
  const sizes = new Map(layers.flatMap((each) => [...(each ?? [])]))
  const needed = unpackedFactor * [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (freeBytes - needed > keepFreeBytes) return undefined
  const images = layers.length === 1 ? '1 image' : `${layers.length} images`
  return `${images} would need ${formatBytes(needed)}, and ${formatBytes(keepFreeBytes)} must stay free, but only ${formatBytes(freeBytes)} are: free disk space on the node, or pin fewer images`
}

export function formatBytes(bytes: number): string {
  const gibibytes = Math.round((bytes / 1024 ** 3) * 10) / 10
  return gibibytes >= 0.1 || bytes === 0
    ? `${gibibytes} GiB`
    : `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`
}
