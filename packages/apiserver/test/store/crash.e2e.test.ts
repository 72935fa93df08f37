import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { between, seededRandom } from '@machinist/core/random'
import { openSqliteStore } from '../../src/store/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { sealed, sequenceOf } from './sealed-value.ts'

/** `CRASHES=200 CRASH_SEED=7` for more or other crashes. */
const crashes = Number(process.env['CRASHES'] ?? 30)
const seed = Number(process.env['CRASH_SEED'] ?? 1)

interface Acknowledged {
  readonly revision: number
  /** 0: removed. */
  readonly sequence: number
}

const directory = mkdtempSync(join(tmpdir(), 'store-crash-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe(`a store whose process is killed ${crashes} times (seed ${seed})`, () => {
  it(
    'has every acknowledged write; others completely or not at all; and revisions never decrease',
    {
      timeout: 600_000,
    },
    async () => {
      const random = seededRandom(seed)
      const known = new Map<string, Acknowledged>()
      let newest = 1
      for (let round = 0; round < crashes; round++) {
        const killAfter = between(random, 1, 300)
        const received = await writeUntilKilled(between(random, 1, 1e9), killAfter)
        expect(received.length).toBeGreaterThanOrEqual(killAfter)
        for (const [key, acknowledged] of received) known.set(key, acknowledged)

        const store = openSqliteStore({ directory, clock: systemClock, log: silentLogger })
        const highest = Math.max(newest, ...received.map(([, { revision }]) => revision))
        expect(store.revision).toBeGreaterThanOrEqual(highest)
        expect(missingIn(store, received)).toEqual([])
        const lost = [...known].filter(([key, acknowledged]) => !isKept(store, key, acknowledged))
        expect(lost).toEqual([])
        const { revision } = await store.write(`/round/${round}`, sealed(1, 10), 0)
        expect(revision).toBeGreaterThan(highest)
        newest = revision
        // The next round starts with the current state, acknowledged or not.
        for (const [key] of known) known.set(key, stateOf(store, key, revision))
        await store.close()
      }
    },
  )
})

async function writeUntilKilled(
  childSeed: number,
  killAfter: number,
): Promise<(readonly [key: string, acknowledged: Acknowledged])[]> {
  const program = fileURLToPath(new URL('writing-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, directory, String(childSeed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const received: (readonly [string, Acknowledged])[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [, key, revision, sequence] = /^(\S+) (\d+) (\d+)$/.exec(line) ?? []
    // The kill may have truncated the last line.
    if (key === undefined) continue
    received.push([key, { revision: Number(revision), sequence: Number(sequence) }])
    if (received.length === killAfter) child.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return received
}

/** Acknowledged changes that are missing in the history, as far as it is kept. */
function missingIn(
  store: Store,
  received: readonly (readonly [string, Acknowledged])[],
): (readonly [string, Acknowledged])[] {
  const changes = new Map(
    store.changesSince(store.oldest).map((change) => [change.revision, change]),
  )
  return received
    .filter(([, { revision }]) => revision > store.oldest)
    .filter(([key, { revision, sequence }]) => {
      const change = changes.get(revision)
      const found = change?.value === undefined ? 0 : sequenceOf(change.value)
      return change?.key !== key || found !== sequence
    })
}

/** The key has the acknowledged state, or that of the single pending write when the process died. */
function isKept(store: Store, key: string, acknowledged: Acknowledged): boolean {
  const now = store.get(key)
  if (now?.revision === acknowledged.revision) {
    return sequenceOf(now.value) === acknowledged.sequence
  }
  if (now) {
    const isNext = sequenceOf(now.value) === acknowledged.sequence + 1
    return now.revision > acknowledged.revision && isNext
  }
  if (acknowledged.sequence === 0) return true
  const removal = store
    .changesSince(Math.max(store.oldest, acknowledged.revision))
    .findLast((change) => change.key === key)
  return removal?.value === undefined && removal?.before?.revision === acknowledged.revision
}

function stateOf(store: Store, key: string, revision: number): Acknowledged {
  const now = store.get(key)
  return now
    ? { revision: now.revision, sequence: sequenceOf(now.value)! }
    : { revision, sequence: 0 }
}
