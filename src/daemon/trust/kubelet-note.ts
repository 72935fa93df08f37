/** What must survive the daemon: what the kubelet that runs was started with. */
export type KubeletNote = {
  /** Fingerprints. Noted before the first write of a boot, so that nothing needs to be guessed after a crash. */
  loaded: string[]
  /** The boot in which that was so. Another boot starts the kubelet with what is on the disk then. */
  bootId: string
  writtenAt?: string
  loadedAt?: string
  /** The start of the kubelet that ran when these fingerprints were on the disk. */
  seen?: { start: string; fingerprints: string[] }
}

/** Which kubelet runs, and what it would load if it were started now. */
export interface KubeletSight {
  /** Another one after each start, as `HostUnits.started` names it. */
  readonly start: string
  /** In any order. */
  readonly fingerprints: readonly string[]
  readonly at: string
}

/** Only what stays on the disk all the time is loaded by a kubelet whenever it is started. */
export function seenStaying(note: KubeletNote, staying: ReadonlyMap<string, unknown>): KubeletNote {
  if (!note.seen) return note
  const fingerprints = note.seen.fingerprints.filter((each) => staying.has(each))
  return { ...note, seen: { ...note.seen, fingerprints } }
}

/**
 * Pure: what a look at the kubelet tells. A kubelet that was started after CAs had been seen on the disk has loaded them, whoever
 * started it. No clocks are compared: they jump.
 */
export function noteOfSight(
  note: KubeletNote,
  { start, fingerprints, at }: KubeletSight,
): KubeletNote {
  const sorted = fingerprints.toSorted()
  const { seen } = note
  const isOther = seen !== undefined && seen.start !== start
  if (seen && !isOther && seen.fingerprints.join() === sorted.join()) return note
  return {
    ...note,
    ...(isOther && { loaded: seen.fingerprints, loadedAt: at }),
    seen: { start, fingerprints: sorted },
  }
}
