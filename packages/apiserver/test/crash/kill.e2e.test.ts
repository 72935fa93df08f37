import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { between, seededRandom } from '@machinist/core/random'
import { until } from '@machinist/testing/until'
import { administrator, ApiProcess } from './api-process.ts'
import { Counter } from './counter.ts'
import { Follower } from './follower.ts'
import type { Wire } from './https-calls.ts'
import { HttpsCalls } from './https-calls.ts'
import { accountToken, configMaps, crashWidgets, prepare, whoIs } from './stage.ts'
import type { Acknowledged } from './writer.ts'
import { held, Writer } from './writer.ts'

/** `CRASHES=200 CRASH_SEED=7` for more or other crashes. */
const crashes = Number(process.env['CRASHES'] ?? 5)
const seed = Number(process.env['CRASH_SEED'] ?? 1)

const directory = mkdtempSync(join(tmpdir(), 'apiserver-crash-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** More than a start takes, so that some kills happen just after it. */
const longestStartMs = 700
const mostWrites = 300

describe(`an API server that is killed ${crashes} times (seed ${seed})`, () => {
  it('loses no acknowledged write, and watches resume', { timeout: 3_600_000 }, async () => {
    const random = seededRandom(seed)
    const acknowledged: Acknowledged[] = []
    let receive = (): void => {}
    const writers = [configMaps, configMaps, configMaps, crashWidgets, crashWidgets].map(
      (collection, id) =>
        new Writer({
          id,
          collection,
          random: seededRandom(between(random, 1, 1e9)),
          acknowledged: (write) => {
            acknowledged.push(write)
            receive()
          },
        }),
    )
    const counters = [new Counter(), new Counter()]
    const followers = [configMaps, crashWidgets].map(({ path }) => new Follower(path))

    let server = await ApiProcess.start(directory)
    const identity = administrator(directory)
    let calls = new HttpsCalls(server.url, identity)
    await prepare(calls)
    const token = await accountToken(calls)
    for (const follower of followers) await follower.list(calls)
    let newest = 0
    let killedStarts = 0

    for (let round = 0; round < crashes; round++) {
      const following = followers.map((follower) => follower.follow(calls))
      const killAt = acknowledged.length + between(random, 1, mostWrites)
      receive = () => {
        if (acknowledged.length === killAt) void server.kill()
      }
      const writing = [...writers, ...counters].map((writer) => writer.writeOn(calls))
      const outcomes = await Promise.allSettled(writing)
      await server.kill()
      await Promise.all(following)
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
      expect(unexpected(server.log)).toEqual([])
      calls.close()

      while (random.next() < 0.3) {
        killedStarts++
        await ApiProcess.killedDuringStart(directory, between(random, 0, longestStartMs))
      }
      server = await ApiProcess.start(directory)
      calls = new HttpsCalls(server.url, identity)
      const lists = await Promise.all(
        [configMaps, crashWidgets].map(({ path }) => calls.call('GET', path)),
      )
      expect(lists.map(({ code }) => code)).toEqual([200, 200])
      const items = lists.flatMap(({ body }) => body.items)
      expect(writers.flatMap((writer) => writer.check(items))).toEqual([])
      expect(countOf(items)).toBeGreaterThanOrEqual(sum(counters, 'done'))
      expect(countOf(items)).toBeLessThanOrEqual(sum(counters, 'tried'))
      const version = Math.min(...lists.map(({ body }) => versionOf(body)))
      const received = Math.max(newest, ...acknowledged.map((write) => write.version))
      expect(version).toBeGreaterThanOrEqual(received)
      newest = version
      expect(await whoIs(calls.as(token))).toBe('system:serviceaccount:default:crash')
    }

    const following = followers.map((follower) => follower.follow(calls))
    for (const follower of followers) {
      const { body } = await calls.call('GET', follower.path)
      const newestOf = Math.max(...body.items.map(versionOf))
      await until('the last event is there', () => follower.version >= newestOf)
      const fresh = new Map(body.items.map((item) => [item.metadata.name, held(item)]))
      const byName = (map: ReadonlyMap<string, unknown>): unknown =>
        [...map].sort(([a], [b]) => (a < b ? -1 : 1))
      expect(byName(follower.objects)).toEqual(byName(fresh))
      expect(follower.wrong).toEqual([])
      const missed = acknowledged
        .filter(({ path }) => path === follower.path)
        .filter(({ name, version }) => !follower.received.has(`${name} ${version}`))
      expect(missed).toEqual([])
    }
    for (const follower of followers) follower.stop()
    await Promise.all(following)
    calls.close()
    expect(await server.terminate()).toBe(0)
    const written = acknowledged.length
    process.stdout.write(
      `${crashes} kills, ${killedStarts} during a start, ${written} acknowledged writes, ${sum(counters, 'done')} counted\n`,
    )
  })
})

const versionOf = ({ metadata }: Wire): number => Number(metadata.resourceVersion)

const countOf = (items: readonly Wire[]): number =>
  Number(items.find(({ metadata }) => metadata.name === 'counter')?.data?.['count'])

const sum = (counters: readonly Counter[], of: 'done' | 'tried'): number =>
  counters.reduce((total, counter) => total + counter[of], 0)

/** Log lines that a kill does not explain. */
const unexpected = (log: string): string[] =>
  log.split('\n').filter((line) => line !== '' && !line.includes('"level":"info"'))
