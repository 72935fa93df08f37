import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { dropin, image, notes, Trial } from './trial.ts'

const minute = 60_000
const gib = 1024 ** 3
const status = (trial: Trial): string[] =>
  (trial.last?.conditions ?? []).slice(0, 2).map(({ status: is, reason }) => `${is}/${reason}`)

describe('a node with pinned images', () => {
  it('pulls missing images, pins them, reports and settles', async () => {
    const trial = new Trial()
    await trial.host.images.pull(image('a'), trial.stop.signal)
    trial.pin('cab')
    const restMs = await trial.settle()
    expect(trial.pulled).toBe('abc')
    expect([await trial.kept(), trial.reloads, trial.reads]).toEqual(['abc', 1, 1])
    expect(trial.reports.map(({ sets }) => sets)).toEqual([
      [{ name: 'one', generation: 1, isComplete: false }],
      [{ name: 'one', generation: 1, isComplete: true }],
    ])
    expect(status(trial)).toEqual(['False/AsExpected', 'False/AsExpected'])
    expect(restMs).toBeGreaterThanOrEqual(30 * minute)
    expect(restMs).toBeLessThanOrEqual(36 * minute)
  })

  it('reads the sets after a jitter of up to ten seconds', async () => {
    const trial = new Trial()
    trial.pin('a')
    const waitMs = await trial.turn()
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(10_000)
    expect(trial.reads).toBe(0)
  })

  it('reports no progress if all images are present', async () => {
    const trial = new Trial()
    await trial.host.images.pull(image('a'), trial.stop.signal)
    trial.pin('a')
    await trial.settle()
    expect(trial.reports).toHaveLength(1)
  })

  it('follows a change of the set, and pulls only new images', async () => {
    const trial = new Trial()
    trial.pin('ab')
    await trial.settle()
    trial.pin('bc', 2)
    await trial.settle()
    expect([trial.pulled, await trial.kept(), trial.reloads]).toEqual(['abc', 'bc', 2])
    expect(trial.last?.sets).toEqual([{ name: 'one', generation: 2, isComplete: true }])
  })

  it('pulls a removed image again', async () => {
    const trial = new Trial()
    trial.pin('ab')
    await trial.settle()
    await trial.host.images.remove(image('a'))
    await trial.settle()
    expect([trial.pulled, await trial.kept(), trial.reads]).toEqual(['aba', 'ab', 1])
  })

  it('rewrites a removed drop-in', async () => {
    const trial = new Trial()
    trial.pin('a')
    await trial.settle()
    await trial.host.files.remove(dropin)
    await trial.settle()
    expect([await trial.kept(), trial.reloads]).toEqual(['a', 2])
  })

  it('unpins all images if the announcement stays away', async () => {
    const trial = new Trial()
    trial.pin('a')
    await trial.settle()
    const before = trial.desired
    trial.unpin()
    const waitMs = await trial.turn()
    expect(waitMs).toBeGreaterThanOrEqual(30_000)
    trial.desired = before
    await trial.settle()
    expect([await trial.kept(), trial.reloads]).toEqual(['a', 1])
    trial.unpin()
    expect(await trial.settle()).toBe(Infinity)
    expect([await trial.kept(), trial.reloads]).toEqual([undefined, 2])
    expect(await trial.host.files.stat(notes)).toBeUndefined()
    expect(trial.last).toMatchObject({
      sets: [],
      conditions: [{ message: 'No images are pinned' }, {}, {}],
    })
    // Another daemon changes nothing.
    trial.restart()
    await trial.settle()
    expect(trial.reloads).toBe(2)
  })

  it('replaces the pins of a previous daemon', async () => {
    const trial = new Trial()
    await trial.host.images.setPins([image('z')])
    trial.pin('a')
    await trial.settle()
    expect(await trial.kept()).toBe('a')
  })
})

describe('an image that cannot be pulled', () => {
  it('is reported, does not affect others, and is retried with back-off', async () => {
    const trial = new Trial()
    await trial.host.images.setPullable(image('b'), false)
    trial.pin('abc')
    await trial.turn().then((ms) => trial.clock.advance(ms))
    const waits: number[] = []
    for (let turn = 0; turn < 9; turn++) {
      const waitMs = await trial.turn()
      waits.push(waitMs)
      await trial.clock.advance(waitMs)
    }
    expect(await trial.kept()).toBe('ac')
    expect(trial.pulled).toBe('ac')
    expect(trial.last?.sets).toEqual([
      {
        name: 'one',
        generation: 1,
        isComplete: false,
        error: `pulling ${image('b')} failed: manifest unknown`,
      },
    ])
    expect(status(trial)).toEqual(['True/ImagePrefetch', 'True/PrefetchFailed'])
    expect(waits[0]).toBeGreaterThanOrEqual(5000)
    expect(waits[0]).toBeLessThanOrEqual(7500)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(5 * minute)
    expect(waits.at(-1)).toBeLessThanOrEqual(7.5 * minute)
    await trial.host.images.setPullable(image('b'), true)
    await trial.settle()
    expect([await trial.kept(), trial.reloads]).toEqual(['abc', 2])
    expect(status(trial)).toEqual(['False/AsExpected', 'False/AsExpected'])
  })

  it('waits for disk space: 16 GiB stay free', async () => {
    const trial = new Trial()
    await trial.host.images.setFreeBytes(16 * gib)
    trial.pin('a')
    await trial.settle()
    expect([trial.pulled, await trial.kept()]).toEqual(['', undefined])
    expect(status(trial)).toEqual(['False/InsufficientStorage', 'True/InsufficientStorage'])
    expect(trial.last?.sets[0]?.error).toMatch(
      /^1 image would need 0.3 GiB, and 16 GiB must stay free/,
    )
    expect(trial.reloads).toBe(0)
    await trial.host.images.setFreeBytes(17 * gib)
    await trial.settle()
    expect([trial.pulled, await trial.kept()]).toEqual(['a', 'a'])
  })

  it('is abandoned when other images are desired', async () => {
    const trial = new Trial()
    trial.pin('abcde')
    trial.odd.pull = async (each, signal) => {
      await trial.host.images.pull(each, signal)
      if (trial.pulled.length === 2) trial.pin('f', 2)
    }
    await trial.settle()
    expect(trial.pulled.replace('f', '').length).toBeLessThan(5)
    expect(await trial.kept()).toBe('f')
    expect(trial.last?.sets).toEqual([{ name: 'one', generation: 2, isComplete: true }])
  })

  it('does not keep a daemon from stopping', async () => {
    const trial = new Trial()
    trial.pin('ab')
    const begun = Promise.withResolvers<void>()
    trial.odd.pull = (_, signal) => {
      begun.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')))
      })
    }
    await trial.turn().then((ms) => trial.clock.advance(ms))
    const turn = trial.turn()
    await begun.promise
    trial.stop.abort()
    expect(await turn).toBe(Infinity)
    expect(trial.reports.flatMap(({ sets }) => sets.map(({ error }) => error))).toEqual([undefined])
  })
})

describe('an inconsistent cluster', () => {
  it('is read again until the sets match the announced digest', async () => {
    const trial = new Trial()
    trial.pin('a')
    const announced = trial.desired
    trial.pin('ab', 2)
    trial.desired = announced
    await trial.turn().then((ms) => trial.clock.advance(ms))
    const waitMs = await trial.turn()
    expect(await trial.kept()).toBe('ab')
    expect(waitMs).toBeGreaterThan(20_000)
    expect(waitMs).toBeLessThanOrEqual(45_000)
    trial.announce()
    expect(await trial.settle()).toBeGreaterThanOrEqual(30 * minute)
    expect(trial.reads).toBe(1)
  })

  it('without a MachineConfigNode gets its images, and the report later', async () => {
    const trial = new Trial()
    trial.hasMachineConfigNode = false
    trial.pin('a')
    await trial.settle()
    expect([await trial.kept(), trial.reports.length]).toEqual(['a', 0])
    trial.hasMachineConfigNode = true
    await trial.settle()
    expect(trial.last?.sets[0]?.isComplete).toBe(true)
  })
})

describe('a restarted daemon', () => {
  it('does not read unchanged sets again', async () => {
    const trial = new Trial()
    trial.pin('ab')
    await trial.settle()
    trial.restart()
    await trial.settle()
    expect([trial.reads, trial.reloads, trial.pulled]).toEqual([1, 1, 'ab'])
  })

  it('reads the sets again if its notes are damaged', async () => {
    const trial = new Trial()
    trial.pin('ab')
    await trial.settle()
    const file = { content: Buffer.from('{"digest"'), mode: 0o644, uid: 0, gid: 0 }
    await trial.host.files.write(notes, file)
    trial.restart()
    await trial.settle()
    expect([trial.reads, await trial.kept(), trial.pulled]).toEqual([2, 'ab', 'ab'])
  })

  it('reloads CRI-O if the previous one wrote the drop-in without a reload', async () => {
    const trial = new Trial()
    trial.pin('a')
    const faults = new Faults({
      at: 1,
      die: 'before',
      by: 'freeze',
      only: (name) => name.startsWith('units.reload'),
    })
    const dying = faultyHost(trial.host, faults, ['units'])
    trial.odd.setPins = async (images) => {
      await new MemoryPins(trial.host).write(images)
      await dying.units.reload('crio.service')
    }
    void trial.settle()
    await faults.died
    expect([await trial.kept(), trial.reloads]).toEqual(['a', 0])
    const next = new Trial(trial.host)
    next.pin('a')
    await next.settle()
    expect([await next.kept(), next.reloads]).toEqual(['a', 1])
  })

  it('reaches the same state as an undisturbed one, wherever the previous one was killed', async () => {
    const steps = async (trial: Trial, until: number): Promise<void> => {
      if (until > 0) trial.pin('ab')
      if (until > 0) await trial.settle()
      if (until > 1) trial.pin('bc', 2)
      if (until > 1) await trial.settle()
      if (until > 2) trial.unpin()
      if (until > 2) await trial.settle()
    }
    const parts = ['files', 'images'] as const
    for (const until of [1, 2, 3]) {
      const expected = new Trial()
      await steps(expected, until)
      const counting = new Faults()
      const counted = new Trial()
      await steps(counted, until - 1)
      await lastStep(counted, until, faultyHost(counted.host, counting, parts))
      expect(counting.count).toBeGreaterThan(5)
      for (let at = 1; at <= counting.count; at++) {
        for (const die of ['before', 'after'] as const) {
          const trial = new Trial()
          await steps(trial, until - 1)
          const faults = new Faults({ at, die, by: 'freeze' })
          void lastStep(trial, until, faultyHost(trial.host, faults, parts))
          await faults.died
          trial.restart()
          await trial.settle()
          expect([at, die, await trial.kept()]).toEqual([at, die, await expected.kept()])
          expect(trial.last).toEqual(expected.last)
          expect(trial.pulled).toBe(expected.pulled)
          const left = await trial.host.files.stat(notes)
          expect(left === undefined).toBe(until === 3)
        }
      }
    }
  })
})

describe('any sequence of changes, removals and restarts', () => {
  it('ends with exactly the pinned images', async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('pin' as const),
        letters: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
      }),
      fc.record({
        do: fc.constantFrom(
          'unpin' as const,
          'restart' as const,
          'turn' as const,
          'settle' as const,
        ),
      }),
      fc.record({
        do: fc.constant('remove' as const),
        letter: fc.constantFrom('a', 'b', 'c', 'd'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const trial = new Trial()
        let desired: string | undefined
        for (const [at, each] of steps.entries()) {
          if (each.do === 'pin') {
            desired = each.letters.toSorted().join('')
            trial.pin(desired, at + 1)
          } else if (each.do === 'unpin') {
            desired = undefined
            trial.unpin()
          } else if (each.do === 'restart') trial.restart()
          else if (each.do === 'turn')
            await trial.clock.advance(Math.min(await trial.turn(), minute))
          else if (each.do === 'settle') await trial.settle()
          else if (each.do === 'remove') await trial.host.images.remove(image(each.letter))
        }
        await trial.settle()
        expect(await trial.kept()).toBe(desired)
        for (const letter of desired ?? '') {
          expect(await trial.host.images.present([image(letter)])).toEqual(new Set([image(letter)]))
        }
        expect(trial.last?.sets.every(({ isComplete }) => isComplete) ?? true).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

/** The last step of a sequence, on a machine that may fail during it. */
async function lastStep(
  trial: Trial,
  number: number,
  host: ReturnType<typeof faultyHost>,
): Promise<void> {
  if (number === 1) trial.pin('ab')
  if (number === 2) trial.pin('bc', 2)
  if (number === 3) trial.unpin()
  const lane = trial.lane(host)
  for (let turn = 0; turn < 10; turn++) {
    const outcome = await lane.reconcile()
    if (outcome.type === 'settled' || outcome.afterMs > minute) return
    await trial.clock.advance(outcome.afterMs)
  }
}

/** Writes only the drop-in. */
class MemoryPins {
  readonly #host: MemoryHost

  constructor(host: MemoryHost) {
    this.#host = host
  }

  async write(images: readonly string[]): Promise<void> {
    const whole = new MemoryHost()
    await whole.images.setPins(images)
    for (const path of ['/etc/crio', '/etc/crio/crio.conf.d']) {
      await this.#host.files.makeDirectory(path, { mode: 0o755, uid: 0, gid: 0 })
    }
    const content = await whole.files.read(dropin)
    await this.#host.files.write(dropin, { content, mode: 0o644, uid: 0, gid: 0 })
  }
}
