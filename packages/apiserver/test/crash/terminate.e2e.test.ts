import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { administrator, ApiProcess } from './api-process.ts'
import { HttpsCalls } from './https-calls.ts'
import { configMaps } from './stage.ts'
import { Writer } from './writer.ts'

const directory = mkdtempSync(join(tmpdir(), 'apiserver-terminated-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('an API server that is terminated during writes', () => {
  it('keeps every answered write, and exits cleanly', { timeout: 120_000 }, async () => {
    let answered = 0
    let enoughAnswered = (): void => {}
    const enough = new Promise<void>((resolve) => (enoughAnswered = resolve))
    const writers = [1, 2, 3, 4].map(
      (id) =>
        new Writer({
          id,
          collection: configMaps,
          random: seededRandom(id),
          acknowledged: () => {
            if (++answered === 100) enoughAnswered()
          },
        }),
    )
    const first = await ApiProcess.start(directory)
    const identity = administrator(directory)
    const calls = new HttpsCalls(first.url, identity)
    const writing = Promise.allSettled(writers.map((writer) => writer.writeOn(calls)))
    await enough
    expect(await first.terminate()).toBe(0)
    const outcomes = await writing
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(first.log).toBe('')
    calls.close()

    const second = await ApiProcess.start(directory)
    const again = new HttpsCalls(second.url, identity)
    const { body } = await again.call('GET', configMaps.path)
    expect(writers.flatMap((writer) => writer.check(body.items))).toEqual([])
    again.close()
    expect(await second.terminate()).toBe(0)
  })
})
