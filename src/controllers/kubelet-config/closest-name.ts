/** The known name that is most similar to a misspelled one, for "did you mean": it differs in case or in at most two letters. */
export function closestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined
  const lower = name.toLowerCase()
  let best: string | undefined
  // In a short name, two different letters make another word.
  let least = Math.min(2, Math.floor(name.length / 4)) + 1
  for (const candidate of names) {
    const steps = distance(lower, candidate.toLowerCase(), least)
    if (steps >= least) continue
    best = candidate
    least = steps
  }
  return best
}

const longest = 64

/** The Levenshtein distance, at most `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(changed, above[j]! + 1, row[j - 1]! + 1))
    }
    above = row
  }
  return Math.min(above[b.length]!, limit)
}
