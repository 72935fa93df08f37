import { plain } from '@machinist/core/quoted'
import { listed } from './wording.ts'

/** The arguments in one entry: split at white space; double quotes protect it and stay. */
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

/** Those of the wanted arguments that a machine runs with, in the order and as often as on its command line. */
export function runningArguments(
  commandLine: readonly string[],
  wanted: readonly string[],
): string[] {
  const words = new Set(wanted.flatMap(kernelWords))
  return commandLine.filter((word) => words.has(word))
}

export interface KernelArgumentChange {
  readonly remove: readonly string[]
  readonly add: readonly string[]
}

/**
 * The fewest arguments to take away and to append, so that a command line that ends in the old list ends in the new
 * one, order included: with `hugepagesz=1G hugepages=4` or two consoles it matters. What stays is the longest beginning of
 * the new list whose arguments are in the old one in the same order.
 */
export function kernelArgumentChange(
  before: readonly string[],
  after: readonly string[],
): KernelArgumentChange | undefined {
  if (before.length === after.length && before.every((word, i) => word === after[i])) {
    return undefined
  }
  const kept = keptBeginning(before, after)
  const stays = new Set(after.slice(0, kept))
  return { remove: before.filter((word) => !stays.has(word)), add: after.slice(kept) }
}

/**
 * How many words of the new list's beginning can stay. Of a word that is there twice either all stay or none: to take away
 * one of two equal arguments would leave open which.
 */
function keptBeginning(before: readonly string[], after: readonly string[]): number {
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
