/** The CAs that the running kubelet was started with. Stored in the ledger, so that it survives the daemon. */
export type KubeletNote = {
  /** Fingerprints. Stored before the first write of a boot, so that they are known after a crash. */
  loaded: string[]
  /** The boot that the note is about. After a reboot the kubelet starts with the CAs on disk. */
  bootId: string
  writtenAt?: string
  loadedAt?: string
  /** The start of the kubelet that ran while these fingerprints were on disk. */
  seen?: { start: string; fingerprints: string[] }
}

/** The running kubelet, and the CAs that it would load if it started now. */
export interface ObservedKubelet {
  /** Differs after each start, see `HostUnits.started`. */
  readonly start: string
  /** In any order. */
  readonly fingerprints: readonly string[]
  readonly at: string
}

/** Drops the seen fingerprints that are about to be removed: a kubelet that starts later does not load them. */
export function withoutRemoved(
  note: KubeletNote,
  staying: ReadonlyMap<string, unknown>,
): KubeletNote {
  if (!note.seen) return note
  const fingerprints = note.seen.fingerprints.filter((each) => staying.has(each))
  return { ...note, seen: { ...note.seen, fingerprints } }
}

/**
 * The note after an observation of the kubelet. Pure. A kubelet that started after CAs were seen on disk has loaded them. Times
 * are not compared, because clocks jump.
 */
export function noteAfter(
  note: KubeletNote,
  { start, fingerprints, at }: ObservedKubelet,
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
