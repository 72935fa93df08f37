import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Prose, ProseKind } from './voice/prose.ts'
import { proseIn } from './voice/prose.ts'
import { bannedIn, habits, patternOf } from './voice/rules.ts'

/**
 * `make verify`: prose uses the terms of docs/glossary.md. `--list PATH` prints every occurrence below a path instead, and
 * `--table PATH` the frequencies.
 */
const root = join(import.meta.dirname, '..')
const [mode, below = ''] = process.argv.slice(2)
const prose = proseIn(root, below)
const banned = bannedIn(readFileSync(join(root, 'docs/glossary.md'), 'utf8'))
const kinds: readonly ProseKind[] = ['comments', 'docs', 'titles', 'messages']
const counted: readonly ProseKind[] = ['comments', 'docs']
const problems: string[] = []

for (const kind of kinds) {
  for (const each of banned) {
    for (const place of placesOf(prose[kind], patternOf(each))) {
      problems.push(`${place}: "${each.phrase}" (${kind}); use: ${each.use}`)
    }
  }
}
for (const kind of counted) {
  const words = wordsIn(prose[kind])
  for (const { name, pattern, most } of habits) {
    const places = placesOf(prose[kind], pattern)
    const frequency = (places.length * 10_000) / Math.max(words, 1)
    if (mode === '--table') {
      console.log(`${kind}, ${name}: ${frequency.toFixed(1)} per 10,000 words (at most ${most})`)
    }
    if (mode === '--list') problems.push(...places.map((place) => `${place}: ${name} (${kind})`))
    else if (frequency > most) {
      problems.push(`${kind}: ${name}: ${frequency.toFixed(1)} per 10,000 words, at most ${most}`)
    }
  }
}
if (mode === '--list') {
  for (const kind of ['titles', 'messages'] as const) {
    for (const { name, pattern } of habits) {
      problems.push(...placesOf(prose[kind], pattern).map((place) => `${place}: ${name} (${kind})`))
    }
  }
}
if (mode !== '--table') for (const problem of problems) console.log(problem)
if (mode === undefined && problems.length > 0) process.exit(1)

function placesOf(texts: readonly Prose[], pattern: RegExp): string[] {
  return texts.flatMap(({ file, line, text }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${file}:${line + text.slice(0, index).split('\n').length - 1}`,
    ),
  )
}

function wordsIn(texts: readonly Prose[]): number {
  return texts.reduce((sum, { text }) => sum + (text.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0), 0)
}
