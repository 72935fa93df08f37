import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { testRun, treeOf, createUpdates } from '../../../../src/daemon/apply/machine.fixture.ts'
import type { ScenarioConfig } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { runToEnd, seedScenario, updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { diffTrees } from './crash-points.ts'

/**
 * Interrupts the daemon between any two operations on its machine. The machine is in memory, so
 * all points are tried. crash.test.ts covers interruptions within an operation on a real disk.
 */
const scenarios = [
  ['with a reboot', 'b', true],
  ['with actions on services', 'c', true],
  ['that fails and is rolled back', 'c', false],
] as const

const trees = { before: new Array<string>(), b: new Array<string>(), c: new Array<string>() }
let original: MemoryHost
beforeAll(async () => {
  original = new MemoryHost()
  await seedScenario(original)
  trees.before = await treeOf((await seededHost(true)).files)
  for (const to of ['b', 'c'] as const) {
    const other = await seededHost(true)
    await runToEnd(other, () => createUpdates(other).run(updateOf('a', to), testRun()))
    trees[to] = await treeOf(other.files)
  }
})

describe('an update that is interrupted', { timeout: 120_000 }, () => {
  it('starts on the same machine every time', async () => {
    expect(await treeOf((await copyOf(original)).files)).toEqual(await treeOf(original.files))
  })

  it.each(scenarios)(
    '%s survives an interruption between any two operations',
    async (_, to, healthy) => {
      const operations = await operationsOf(to, healthy)
      const points = operations.flatMap((operation, index): Death[] => {
        const at = index + 1
        return isReading(operation)
          ? []
          : [
              { at, die: 'before' },
              { at, die: 'after' },
            ]
      })
      expect(points.length).toBeGreaterThan(100)
      const failures: string[] = []
      for (const point of points) {
        const problems = await survive([point], to, healthy)
        if (problems.length > 0)
          failures.push([describePoint(point, operations), ...problems].join('\n  '))
      }
      expect(failures).toEqual([])
    },
  )

  it.each(scenarios)('%s survives repeated interruptions', async (_, to, healthy) => {
    const operations = await operationsOf(to, healthy)
    const failures: string[] = []
    for (let first = 1; first <= operations.length; first += 23) {
      const points = [first, (first * 7) % operations.length, (first * 3) % 40].map(
        (at): Death => ({ at: at + 1, die: 'before' }),
      )
      const problems = await survive(points, to, healthy)
      const where = points.map((point) => describePoint(point, operations)).join(', ')
      if (problems.length > 0) failures.push([where, ...problems].join('\n  '))
    }
    expect(failures).toEqual([])
  })
})

async function seededHost(healthy: boolean): Promise<MemoryHost> {
  const machine = await copyOf(original)
  // Write the file in both cases, so that the trees are equal.
  await machine.units.setHealth(healthy ? 'other.service' : 'changed.service', false)
  return machine
}

/** Copies the disk, which holds all of the machine's state. */
async function copyOf({ files }: MemoryHost): Promise<MemoryHost> {
  const copy = new MemoryHost()
  const walk = async (directory: string): Promise<void> => {
    for (const name of await files.list(directory)) {
      const path = join(directory, name)
      const entry = (await files.stat(path))!
      if (entry.type === 'file')
        copy.files.seed(path, { ...entry, content: await files.read(path) })
      else copy.files.seed(path, entry)
      if (entry.type === 'directory') await walk(path)
    }
  }
  await walk('/')
  return copy
}

async function operationsOf(to: ScenarioConfig, healthy: boolean): Promise<readonly string[]> {
  const faults = new Faults()
  const host = faultyHost(await seededHost(healthy), faults)
  await createUpdates(host).run(updateOf('a', to), testRun())
  return faults.operations
}

const isReading = (operation: string): boolean =>
  /^files\.(stat|read|list)|enablement|isHealthy|accounts\.(user|group|passwordHash)|os\.(facts|state)|bootId/.test(
    operation,
  )

/** Freezes one daemon at each point, and lets the last one finish. Returns the problems. */
async function survive(
  points: readonly Death[],
  to: 'b' | 'c',
  healthy: boolean,
): Promise<string[]> {
  const machine = await seededHost(healthy)
  for (const [number, point] of points.entries()) {
    const faults = new Faults({ ...point, by: 'freeze' })
    const updates = createUpdates(faultyHost(machine, faults))
    if (number > 0 && !(await createUpdates(machine).interrupted())) break
    const done = number > 0 ? updates.resume(testRun()) : updates.run(updateOf('a', to), testRun())
    await Promise.race([done, faults.died])
  }
  if (points[0]!.at % 3 === 0) await machine.boot()
  const interrupted = await createUpdates(machine).interrupted()
  const outcome =
    interrupted && (await runToEnd(machine, () => createUpdates(machine).resume(testRun())))
  const tree = (await treeOf(machine.files)).filter((line) => !line.includes('failing-units'))
  const before = trees.before.filter((line) => !line.includes('failing-units'))
  const after = trees[to].filter((line) => !line.includes('failing-units'))
  const left = {
    before: diffTrees(tree, before),
    after: diffTrees(tree, after),
  }
  if (outcome?.type === 'applied') return left.after
  if (outcome?.type === 'rolledBack') return left.before
  if (outcome !== undefined) return [JSON.stringify(outcome)]
  return left.after.length === 0 ? [] : left.before
}

const describePoint = ({ at, die }: Death, operations: readonly string[]): string =>
  `${die} ${at} ${operations[at - 1]}`
