import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { seededRandom } from '@machinist/core/random'
import type { UpdateOutcome } from '../../../../src/daemon/apply/update.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { SimulatedMachine } from '../../../../src/daemon/host/simulated/simulated-machine.ts'
import { faultyDisk, faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import {
  machineAt,
  testRun,
  seedMachine,
  quickDisk,
  treeAt,
  treeOf,
  createUpdates,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import { runToEnd, seedScenario, updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { copyTree, diffTrees } from './crash-points.ts'

/**
 * Every operation of an update fails once: the machine is in its previous state, and the error names cause and object. All
 * operations on a machine in memory, and a few system calls on a real disk, or all of them with
 * FAILING_POINTS=all, which takes long.
 */
const pointCount = process.env['FAILING_POINTS'] ?? '3'
const timeoutMs = 60 * 60_000

// Only root can change owners.
const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)('a system call that fails once', { timeout: timeoutMs }, () => {
  let scratch: string
  let operations: readonly string[]
  const sceneIn = (name: string): FaultScenario => {
    const root = join(scratch, name)
    return {
      machine: machineAt(root),
      hostWith: (faults) => machineAt(root, faultyDisk(quickDisk, faults)),
      tree: () => treeAt(root),
    }
  }
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'machinist-failing-'))
    await mkdir(join(scratch, 'start'))
    await seedMachine(join(scratch, 'start'))
    const start = sceneIn('start')
    await seedScenario(start.machine)
    operations = await operationsOf(start)
  }, timeoutMs)
  afterAll(() => rm(scratch, { recursive: true, force: true }))

  it.each(['EIO', 'ENOSPC', 'EACCES', 'EROFS'])('on the disk, with %s', async (code) => {
    await mkdir(join(scratch, code))
    await copyTree(join(scratch, 'start'), join(scratch, code))
    const points = sampled(operations.length, code)
    expect(await failAt(points, code, operations, sceneIn(code))).toEqual([])
  })
})

describe('an operation that fails once', { timeout: timeoutMs }, () => {
  it.each(['exit 1', 'timeout', 'EIO'])('on the machine, with %s', async (code) => {
    const machine = new MemoryHost()
    await seedScenario(machine)
    const scene: FaultScenario = {
      machine,
      hostWith: (faults) => faultyHost(machine, faults, code === 'EIO' ? ['files'] : commands),
      tree: () => treeOf(machine.files),
    }
    const operations = await operationsOf(scene)
    expect(await failAt(all(operations.length), code, operations, scene)).toEqual([])
  })
})

const commands = ['units', 'accounts', 'os', 'power'] as const

interface FaultScenario {
  readonly machine: SimulatedMachine
  readonly hostWith: (faults: Faults) => Host
  readonly tree: () => Promise<string[]>
}

/** Returns the problems. */
async function failAt(
  points: readonly number[],
  code: string,
  operations: readonly string[],
  scene: FaultScenario,
): Promise<string[]> {
  const before = await scene.tree()
  const problems: string[] = []
  for (const at of points) {
    const host = scene.hostWith(new Faults({ at, fail: code, only }))
    const outcome = await createUpdates(host).run(updateOf('a', 'c'), testRun()).catch(asRolledBack)
    const wrong = problemsWith(outcome, code, diffTrees(await scene.tree(), before))
    if (outcome.type === 'applied') await revertUpdate(scene)
    if (wrong.length > 0) problems.push([`${at} ${operations[at - 1]}`, ...wrong].join('\n  '))
    if (diffTrees(await scene.tree(), before).length > 0) break
  }
  process.stdout.write(
    `${code}: ${points.length} of ${operations.length} operations tried, ${problems.length} with problems\n`,
  )
  return problems
}

/** If the journal cannot be read, `run` rejects and changes nothing. */
const asRolledBack = (error: Error): UpdateOutcome => ({ type: 'rolledBack', error })

/** A failed close of a directory is ignored. */
const only = (operation: string): boolean => !operation.startsWith('close ')

/** The operations of an update without a fault; the update is reverted afterwards. */
async function operationsOf(scene: FaultScenario): Promise<readonly string[]> {
  const before = await scene.tree()
  const faults = new Faults({ at: 0, fail: '', only })
  const outcome = await createUpdates(scene.hostWith(faults)).run(updateOf('a', 'c'), testRun())
  expect(outcome).toEqual({ type: 'applied' })
  await revertUpdate(scene)
  expect(diffTrees(await scene.tree(), before)).toEqual([])
  return faults.operations
}

/**
 * Some failures have no effect: a read is repeated, or a leftover is removed later.
 * The update is applied then.
 */
function problemsWith(outcome: UpdateOutcome, code: string, changed: readonly string[]): string[] {
  if (outcome.type === 'applied') return []
  if (outcome.type !== 'rolledBack') return [JSON.stringify(outcome)]
  const message = messageOf(outcome.error)
  const cause = errorTexts[code] ?? code
  const names = /\/[a-z]+|\.service|core|units\.|accounts\.|os\.|power\./.test(message)
  return [
    ...changed,
    ...(message.includes(cause) || message.includes(code)
      ? []
      : [`the error does not contain the cause: ${message}`]),
    ...(names ? [] : [`the error names no object: ${message}`]),
  ]
}

const errorTexts: Readonly<Record<string, string>> = {
  EIO: 'input/output error',
  ENOSPC: 'no space left',
  EACCES: 'permission denied',
  EROFS: 'read-only',
}

async function revertUpdate({ machine }: FaultScenario): Promise<void> {
  await runToEnd(machine, () => createUpdates(machine).run(updateOf('c', 'a'), testRun()))
}

const all = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

function sampled(count: number, salt: string): number[] {
  const number = pointCount === 'all' ? count : Number(pointCount)
  const random = seededRandom(Buffer.from(salt).readUInt16BE())
  const stretch = count / number
  return all(number).map((i) => Math.ceil((i - 1 + random.next()) * stretch))
}
