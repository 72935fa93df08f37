import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { between, seededRandom } from '@machinist/core/random'
import { sealed, sequenceOf } from './sealed-value.ts'

/** `CRASHES=200 CRASH_SEED=7` for more of them, or others. */
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
    'has every acknowledged write, whole; others whole or not at all; and never goes back',
    {
      timeout: 600_000,
    },
    async () => {
      const random = seededRandom(seed)
      const known = new Map<string, Acknowledged>()
      let newest = 1
      for (let round = 0; round < crashes; round++) {
        const killAfter = between(random, 1, 300)
        const heard = await writeUntilKilled(between(random, 1, 1e9), killAfter)
        expect(heard.length).toBeGreaterThanOrEqual(killAfter)
        for (const [key, acknowledged] of heard) known.set(key, acknowledged)

        const store = openSqliteStore({ directory, clock: systemClock, log: silentLogger })
        const highest = Math.max(newest, ...heard.map(([, { revision }]) => revision))
        expect(store.revision).toBeGreaterThanOrEqual(highest)
        expect(missingIn(store, heard)).toEqual([])
        const lost = [...known].filter(([key, acknowledged]) => !isKept(store, key, acknowledged))
        expect(lost).toEqual([])
        const { revision } = await store.write(`/round/${round}`, sealed(1, 10), 0)
        expect(revision).toBeGreaterThan(highest)
        newest = revision
        // What the next round begins with is what is there now, acknowledged or not.
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
  const heard: (readonly [string, Acknowledged])[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [, key, revision, sequence] = /^(\S+) (\d+) (\d+)$/.exec(line) ?? []
    // The last line may be cut off by the kill.
    if (key === undefined) continue
    heard.push([key, { revision: Number(revision), sequence: Number(sequence) }])
    if (heard.length === killAfter) child.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return heard
}

/** What the log of changes lacks of what was acknowledged, as far back as it goes. */
function missingIn(
  store: Store,
  heard: readonly (readonly [string, Acknowledged])[],
): (readonly [string, Acknowledged])[] {
  const changes = new Map(
    store.changesSince(store.oldest).map((change) => [change.revision, change]),
  )
  return heard
    .filter(([, { revision }]) => revision > store.oldest)
    .filter(([key, { revision, sequence }]) => {
      const change = changes.get(revision)
      const found = change?.value === undefined ? 0 : sequenceOf(change.value)
      return change?.key !== key || found !== sequence
    })
}

/** The key is as acknowledged, or one whole write further: the one that was under way when the process died. */
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
