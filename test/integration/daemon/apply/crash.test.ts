import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import {
  machineAt,
  testRun,
  seedMachine,
  treeAt,
  createUpdates,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { ScenarioConfig } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { runToEnd, seedScenario, updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'
import type { CrashScenario, CrashPoint } from './crash-points.ts'
import { copyTree, diffTrees, pointsOf, runChild, surviveCrashes } from './crash-points.ts'

/**
 * Kills the daemon during an update, and checks that the next one recovers. `make test` tries a few points;
 * CRASH_POINTS=all tries every point, which takes half an hour; CRASH_POINTS=<number> tries that many of each scenario.
 */
const pointCount = process.env['CRASH_POINTS'] ?? '4'
const seed = Number(process.env['CRASH_SEED'] ?? 1)
const timeoutMs = 60 * 60_000

const isRoot = process.getuid?.() === 0

let scratch: string
let scenarios: readonly CrashScenario[]
beforeAll(async () => {
  if (!isRoot) return
  scratch = await mkdtemp(join(tmpdir(), 'machinist-crash-'))
  const start = join(scratch, 'start')
  await mkdir(start)
  await seedMachine(start)
  await seedScenario(machineAt(start))
  const withReboot = await createScenario('b', 'with a reboot', start)
  const withServices = await createScenario('c', 'with actions on services', start)
  const unhealthy = join(scratch, 'unhealthy')
  await mkdir(unhealthy)
  await copyTree(start, unhealthy)
  await machineAt(unhealthy).units.setHealth('changed.service', false)
  const failing = await createScenario('c', 'that fails and is rolled back', unhealthy)
  scenarios = [withReboot, withServices, { ...failing, goal: withServices.after }]
}, timeoutMs)
afterAll(async () => {
  if (isRoot) await rm(scratch, { recursive: true, force: true })
})

// Only root can change owners.
describe.runIf(isRoot)('an update that is killed', { timeout: timeoutMs }, () => {
  it('reaches its goal without a kill, and reverting it restores the first state', async () => {
    const [withReboot, withServices, failing] = scenarios
    for (const scenario of [withReboot!, withServices!]) {
      expect(diffTrees(scenario.after, scenario.before)).not.toEqual([])
      expect(await revertUpdate(scenario)).toEqual([])
    }
    expect(diffTrees(failing!.after, failing!.before)).toEqual([])
  })

  it.each([0, 1, 2])('survives a kill at any point (scenario %i)', async (number) => {
    const scenario = scenarios[number]!
    const all = pointsOf(scenario.operations)
    const points = sampled(all, pointCount === 'all' ? all.length : Number(pointCount))
    const failures = await tryAll(
      scenario,
      points.map((point) => [point]),
    )
    logResult(scenario, `${points.length} of ${all.length} points tried`, failures)
    expect(failures).toEqual([])
  })

  it.each([0, 1, 2])('survives two kills (scenario %i)', async (number) => {
    const scenario = scenarios[number]!
    const all = pointsOf(scenario.operations)
    const count = pointCount === 'all' ? 150 : Math.ceil(Number(pointCount) / 3)
    // The second process has about as many operations as the first.
    const pairs = sampled(all, count).map((first, i) => [first, sampled(all, 1, seed + i + 1)[0]!])
    const failures = await tryAll(scenario, pairs)
    logResult(scenario, `${pairs.length} pairs of points tried`, failures)
    expect(failures).toEqual([])
  })
})

async function createScenario(
  to: ScenarioConfig,
  name: string,
  start: string,
): Promise<CrashScenario> {
  const end = join(scratch, `end-${to}-${name.length}`)
  await mkdir(end)
  await copyTree(start, end)
  const output = await runChild({ root: end, from: 'a', to })
  const { operations } = JSON.parse(output) as { operations: string[] }
  const machine = machineAt(end)
  if (await machine.power.isDown()) {
    await machine.boot()
    await runToEnd(machine, () => createUpdates(machine).resume(testRun()))
  }
  const after = await treeAt(end)
  const before = await treeAt(start)
  return { name, from: 'a', to, start, end, before, after, goal: after, operations, scratch }
}

/** Reverts the update. Returns the differences from the first state. */
async function revertUpdate({ from, to, end, before }: CrashScenario): Promise<string[]> {
  const machine = machineAt(end)
  await runToEnd(machine, () => createUpdates(machine).run(updateOf(to, from), testRun()))
  return diffTrees(await treeAt(end), before)
}

/** Runs two at a time. */
async function tryAll(
  scenario: CrashScenario,
  tries: readonly (readonly CrashPoint[])[],
): Promise<string[]> {
  const failures: string[] = []
  const todo = tries.values()
  const work = async (): Promise<void> => {
    for (const points of todo) {
      const problems = await surviveCrashes(scenario, points)
      const where = points.map(({ at, die }) => `${die} ${at} ${scenario.operations[at - 1]}`)
      if (problems.length > 0) failures.push([where.join(', then '), ...problems].join('\n  '))
    }
  }
  await Promise.all([work(), work()])
  return failures
}

function sampled(points: readonly CrashPoint[], count: number, from = seed): CrashPoint[] {
  const random = seededRandom(from)
  if (count >= points.length) return [...points]
  // One point of each range, so that every part of the update is covered.
  const stretch = points.length / count
  return Array.from({ length: count }, (_, i) => points[Math.floor((i + random.next()) * stretch)]!)
}

function logResult({ name, operations }: CrashScenario, tried: string, failures: string[]): void {
  process.stdout.write(
    `crash: update ${name}, ${operations.length} operations: ${tried}, ${failures.length} not survived\n`,
  )
}
