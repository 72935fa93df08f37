import { plain } from '@machinist/core/quoted'
import { listed } from '../model/wording.ts'

/** Splits an entry at white space outside double quotes; quotes are kept. */
export function kernelWords(entry: string): string[] {
  const words: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at <= entry.length; at++) {
    if (entry[at] === '"') quoted = !quoted
    const ends = at === entry.length || (!quoted && /\s/.test(entry[at]!))
    if (!ends) continue
    if (at > start) words.push(entry.slice(start, at))
    start = at + 1
  }
  return words
}

/** The desired arguments that are on the command line of a machine, in its order and with its duplicates. */
export function runningArguments(
  commandLine: readonly string[],
  desired: readonly string[],
): string[] {
  const words = new Set(desired.flatMap(kernelWords))
  return commandLine.filter((word) => words.has(word))
}

export interface KernelArgumentChange {
  readonly remove: readonly string[]
  readonly add: readonly string[]
}

/**
 * The minimal set of arguments to remove and to append so that a command line that ends with the old list ends with the new one. The
 * order matters, for example for `hugepagesz=1G hugepages=4` or two consoles. The longest prefix of the new list whose arguments are
 * in the old list in the same order is kept.
 */
export function kernelArgumentChange(
  before: readonly string[],
  after: readonly string[],
): KernelArgumentChange | undefined {
  if (before.length === after.length && before.every((word, i) => word === after[i])) {
    return undefined
  }
  const kept = keptPrefixLength(before, after)
  const stays = new Set(after.slice(0, kept))
  return { remove: before.filter((word) => !stays.has(word)), add: after.slice(kept) }
}

/**
 * The length of the prefix of the new list that can be kept. Duplicates of a word are kept or removed together, because it is not
 * defined which of two equal arguments a removal affects.
 */
function keptPrefixLength(before: readonly string[], after: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of before) left.set(word, (left.get(word) ?? 0) + 1)
  const begun = new Set<string>()
  let matched = 0
  let kept = 0
  for (const word of before) {
    if (word !== after[matched]) continue
    matched++
    left.set(word, left.get(word)! - 1)
    if (left.get(word) === 0) begun.delete(word)
    else begun.add(word)
    if (begun.size === 0) kept = matched
  }
  return kept
}

/** `add audit=1; remove quiet` */
export function argumentsText({ add, remove }: KernelArgumentChange): string {
  const moved = new Set(add).intersection(new Set(remove))
  const parts = [
    ['add', add.filter((word) => !moved.has(word))] as const,
    ['remove', remove.filter((word) => !moved.has(word))] as const,
    ['move to the end', [...moved]] as const,
  ]
  return parts
    .filter(([, words]) => words.length > 0)
    .map(([what, words]) => `${what} ${listed(words.map(plain), 8)}`)
    .join('; ')
}
