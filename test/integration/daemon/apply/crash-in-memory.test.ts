import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { differing } from './crash-points.ts'
import { plainRun, treeOf, updatesOn } from '../../../../src/daemon/apply/machine.fixture.ts'
import type { SceneName } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { carryOut, plantScene, updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'

/**
 * Every point at which the daemon can be cut off between two things that it asks of its machine; the machine is in memory, so
 * all of them are tried. What can happen inside of one such thing is tried on a real disk: see crash.test.ts.
 */
const journeys = [
  ['with a reboot', 'b', true],
  ['that services take over', 'c', true],
  ['that fails and is undone', 'c', false],
] as const

const trees = { before: new Array<string>(), b: new Array<string>(), c: new Array<string>() }
let scene: MemoryHost
beforeAll(async () => {
  scene = new MemoryHost()
  await plantScene(scene)
  trees.before = await treeOf((await planted(true)).files)
  for (const to of ['b', 'c'] as const) {
    const other = await planted(true)
    await carryOut(other, () => updatesOn(other).run(updateOf('a', to), plainRun()))
    trees[to] = await treeOf(other.files)
  }
})

describe('an update that is cut off', { timeout: 120_000 }, () => {
  it('begins on a machine that is the same every time', async () => {
    expect(await treeOf((await copyOf(scene)).files)).toEqual(await treeOf(scene.files))
  })

  it.each(journeys)('%s survives it between any two operations', async (_, to, well) => {
    const operations = await operationsOf(to, well)
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
      const problems = await survive([point], to, well)
      if (problems.length > 0) failures.push([shown(point, operations), ...problems].join('\n  '))
    }
    expect(failures).toEqual([])
  })

  it.each(journeys)('%s survives it again and again', async (_, to, well) => {
    const operations = await operationsOf(to, well)
    const failures: string[] = []
    for (let first = 1; first <= operations.length; first += 23) {
      const points = [first, (first * 7) % operations.length, (first * 3) % 40].map(
        (at): Death => ({ at: at + 1, die: 'before' }),
      )
      const problems = await survive(points, to, well)
      const where = points.map((point) => shown(point, operations)).join(', ')
      if (problems.length > 0) failures.push([where, ...problems].join('\n  '))
    }
    expect(failures).toEqual([])
  })
})

async function planted(well: boolean): Promise<MemoryHost> {
  const machine = await copyOf(scene)
  // The same file on both, so that it makes no difference.
  await machine.units.setHealth(well ? 'other.service' : 'changed.service', false)
  return machine
}

/** As it is on the disk, which is all there is of a machine. */
async function copyOf({ files }: MemoryHost): Promise<MemoryHost> {
  const copy = new MemoryHost()
  const walk = async (directory: string): Promise<void> => {
    for (const name of await files.list(directory)) {
      const path = join(directory, name)
      const entry = (await files.look(path))!
      if (entry.type === 'file')
        copy.files.plant(path, { ...entry, content: await files.read(path) })
      else copy.files.plant(path, entry)
      if (entry.type === 'directory') await walk(path)
    }
  }
  await walk('/')
  return copy
}

async function operationsOf(to: SceneName, well: boolean): Promise<readonly string[]> {
  const faults = new Faults()
  const host = faultyHost(await planted(well), faults)
  await updatesOn(host).run(updateOf('a', to), plainRun())
  return faults.operations
}

const isReading = (operation: string): boolean =>
  /^files\.(look|read|list)|enablement|healthy|accounts\.(user|group|passwordHash)|os\.(facts|state)|bootId/.test(
    operation,
  )

/** Each daemon freezes at its point; the last one has time. What is wrong then, in words. */
async function survive(points: readonly Death[], to: 'b' | 'c', well: boolean): Promise<string[]> {
  const machine = await planted(well)
  for (const [number, point] of points.entries()) {
    const faults = new Faults({ ...point, by: 'freeze' })
    const updates = updatesOn(faultyHost(machine, faults))
    if (number > 0 && !(await updatesOn(machine).interrupted())) break
    const done =
      number > 0 ? updates.resume(plainRun()) : updates.run(updateOf('a', to), plainRun())
    await Promise.race([done, faults.died])
  }
  if (points[0]!.at % 3 === 0) await machine.boot()
  const interrupted = await updatesOn(machine).interrupted()
  const outcome =
    interrupted && (await carryOut(machine, () => updatesOn(machine).resume(plainRun())))
  const tree = (await treeOf(machine.files)).filter((line) => !line.includes('failing-units'))
  const before = trees.before.filter((line) => !line.includes('failing-units'))
  const after = trees[to].filter((line) => !line.includes('failing-units'))
  const left = {
    before: differing(tree, before),
    after: differing(tree, after),
  }
  if (outcome?.is === 'applied') return left.after
  if (outcome?.is === 'rolledBack') return left.before
  if (outcome !== undefined) return [JSON.stringify(outcome)]
  return left.after.length === 0 ? [] : left.before
}

const shown = ({ at, die }: Death, operations: readonly string[]): string =>
  `${die} ${at} ${operations[at - 1]}`
