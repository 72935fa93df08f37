import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import {
  machineAt,
  plainRun,
  plantMachine,
  treeAt,
  updatesOn,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { Journey, Point } from './crash-points.ts'
import { copyTree, differing, pointsOf, runChild, survive } from './crash-points.ts'
import type { SceneName } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { carryOut, plantScene, updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'

/**
 * Kills the daemon in the middle of an update and looks what the next one makes of it. `make test` tries a few points;
 * CRASH_POINTS=all tries every single one, which takes half an hour, CRASH_POINTS=<number> so many of each journey.
 */
const wanted = process.env['CRASH_POINTS'] ?? '4'
const seed = Number(process.env['CRASH_SEED'] ?? 1)
const patience = 60 * 60_000

const isRoot = process.getuid?.() === 0

let scratch: string
let journeys: readonly Journey[]
beforeAll(async () => {
  if (!isRoot) return
  scratch = await mkdtemp(join(tmpdir(), 'machinist-crash-'))
  const start = join(scratch, 'start')
  await mkdir(start)
  await plantMachine(start)
  await plantScene(machineAt(start))
  const withReboot = await journeyTo('b', 'with a reboot', start)
  const withServices = await journeyTo('c', 'that services take over', start)
  const unwell = join(scratch, 'unwell')
  await mkdir(unwell)
  await copyTree(start, unwell)
  await machineAt(unwell).units.setHealth('changed.service', false)
  const failing = await journeyTo('c', 'that fails and is undone', unwell)
  journeys = [withReboot, withServices, { ...failing, goal: withServices.after }]
}, patience)
afterAll(async () => {
  if (isRoot) await rm(scratch, { recursive: true, force: true })
})

// Only root can give files to others.
describe.runIf(isRoot)('an update that is killed', { timeout: patience }, () => {
  it('reaches its goal if nobody kills it, and the way back leads where it began', async () => {
    const [withReboot, withServices, failing] = journeys
    for (const journey of [withReboot!, withServices!]) {
      expect(differing(journey.after, journey.before)).not.toEqual([])
      expect(await wayBack(journey)).toEqual([])
    }
    expect(differing(failing!.after, failing!.before)).toEqual([])
  })

  it.each([0, 1, 2])('survives it everywhere (journey %i)', async (number) => {
    const journey = journeys[number]!
    const all = pointsOf(journey.operations)
    const points = sampled(all, wanted === 'all' ? all.length : Number(wanted))
    const failures = await tryAll(
      journey,
      points.map((point) => [point]),
    )
    tell(journey, `${points.length} of ${all.length} points tried`, failures)
    expect(failures).toEqual([])
  })

  it.each([0, 1, 2])('survives it twice (journey %i)', async (number) => {
    const journey = journeys[number]!
    const all = pointsOf(journey.operations)
    const count = wanted === 'all' ? 150 : Math.ceil(Number(wanted) / 3)
    // The second process has about as much to do as the first.
    const pairs = sampled(all, count).map((first, i) => [first, sampled(all, 1, seed + i + 1)[0]!])
    const failures = await tryAll(journey, pairs)
    tell(journey, `${pairs.length} pairs of points tried`, failures)
    expect(failures).toEqual([])
  })
})

async function journeyTo(to: SceneName, name: string, start: string): Promise<Journey> {
  const end = join(scratch, `end-${to}-${name.length}`)
  await mkdir(end)
  await copyTree(start, end)
  const said = await runChild({ root: end, from: 'a', to })
  const { operations } = JSON.parse(said) as { operations: string[] }
  const machine = machineAt(end)
  if (await machine.power.isDown()) {
    await machine.boot()
    await carryOut(machine, () => updatesOn(machine).resume(plainRun()))
  }
  const after = await treeAt(end)
  const before = await treeAt(start)
  return { name, from: 'a', to, start, end, before, after, goal: after, operations, scratch }
}

/** What was there before the first config is still known: what differs when the update is taken back. */
async function wayBack({ from, to, end, before }: Journey): Promise<string[]> {
  const machine = machineAt(end)
  await carryOut(machine, () => updatesOn(machine).run(updateOf(to, from), plainRun()))
  return differing(await treeAt(end), before)
}

/** Two at a time. */
async function tryAll(journey: Journey, tries: readonly (readonly Point[])[]): Promise<string[]> {
  const failures: string[] = []
  const todo = tries.values()
  const work = async (): Promise<void> => {
    for (const points of todo) {
      const problems = await survive(journey, points)
      const where = points.map(({ at, die }) => `${die} ${at} ${journey.operations[at - 1]}`)
      if (problems.length > 0) failures.push([where.join(', then '), ...problems].join('\n  '))
    }
  }
  await Promise.all([work(), work()])
  return failures
}

function sampled(points: readonly Point[], count: number, from = seed): Point[] {
  const random = seededRandom(from)
  if (count >= points.length) return [...points]
  // One of each stretch, so that no part of the update is left out.
  const stretch = points.length / count
  return Array.from({ length: count }, (_, i) => points[Math.floor((i + random.next()) * stretch)]!)
}

function tell({ name, operations }: Journey, tried: string, failures: string[]): void {
  process.stdout.write(
    `crash: update ${name}, ${operations.length} operations: ${tried}, ${failures.length} not survived\n`,
  )
}
