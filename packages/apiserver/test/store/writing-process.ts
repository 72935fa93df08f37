import { writeSync } from 'node:fs'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { between, seededRandom } from '@machinist/core/random'
import { openSqliteStore } from '../../src/store/sqlite-store.ts'
import { sealed, sequenceOf } from './sealed-value.ts'

/**
 * Writes with several concurrent writers until it is killed. Prints a line `key revision sequence` per acknowledged
 * write, with sequence 0 for a removal, before the writer continues.
 */
const [directory, seed] = process.argv.slice(2)
const writers = 8
const random = seededRandom(Number(seed))
const store = openSqliteStore({
  directory: directory!,
  clock: systemClock,
  log: silentLogger,
  history: { keepRevisions: 1000 },
})
await Promise.all(Array.from({ length: writers }, (_, i) => writeOn(i)))

/** Each writer has its own keys, so that each key has at most one pending write. */
async function writeOn(writer: number): Promise<never> {
  for (;;) {
    const key = `/writer-${writer}/${between(random, 0, 4)}`
    const present = store.get(key)
    if (present && random.next() < 0.1) {
      const { revision } = await store.remove(key, present.revision)
      acknowledge(key, revision, 0)
      continue
    }
    const sequence = present ? sequenceOf(present.value)! + 1 : 1
    const value = sealed(sequence, between(random, 10, 20_000))
    const { revision } = await store.write(key, value, present?.revision ?? 0)
    acknowledge(key, revision, sequence)
  }
}

function acknowledge(key: string, revision: number, sequence: number): void {
  writeSync(1, `${key} ${revision} ${sequence}\n`)
}
