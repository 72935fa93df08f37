import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { UpdateOutcome } from '../../../../src/daemon/apply/update.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import {
  machineAt,
  testRun,
  treeAt,
  createUpdates,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { ScenarioConfig } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { runToEnd } from '../../../../src/daemon/apply/scenario.fixture.ts'
import type { ChildTask } from './crash-child.ts'

/** One update on one machine, with the tree of the machine before and after it. */
export interface CrashScenario {
  readonly name: string
  readonly from: ScenarioConfig
  readonly to: ScenarioConfig
  /** A machine in the current config. */
  readonly start: string
  /** The same machine in the desired config. */
  readonly end: string
  readonly before: readonly string[]
  /** Equal to `before` for an update that cannot succeed. */
  readonly after: readonly string[]
  /** The tree that the update tries to reach. */
  readonly goal: readonly string[]
  /** Every operation of an update without a fault. */
  readonly operations: readonly string[]
  readonly scratch: string
}

export interface CrashPoint {
  readonly at: number
  readonly die: Death['die']
}

/**
 * Every state of the disk that a dead process can leave: before each operation that changes it, half-way through each write, and after
 * the last. A death after an operation, or during a read, leaves the same disk as a death before the next change.
 */
export function pointsOf(operations: readonly string[]): CrashPoint[] {
  const points = operations.flatMap((operation, index): CrashPoint[] => {
    const at = index + 1
    if (!changesDisk(operation)) return []
    const before: CrashPoint = { at, die: 'before' }
    return operation.startsWith('write ') ? [before, { at, die: 'within' }] : [before]
  })
  return [...points, { at: operations.length, die: 'after' }]
}

const changes = /^(rename|symlink|unlink|mkdir|rmdir|write|chmod|chown|sync) /

const changesDisk = (operation: string): boolean =>
  changes.test(operation) || /^open .*(\.machinist|\/log|\/actions)$/.test(operation)

/**
 * Kills a process at one point after the other, each in a new process; then resumes the update in this process, as the next
 * daemon would. Returns the problems; empty if the update survived.
 */
export async function surviveCrashes(
  scenario: CrashScenario,
  points: readonly CrashPoint[],
): Promise<string[]> {
  const root = await mkdtemp(join(scenario.scratch, 'point-'))
  try {
    await copyTree(scenario.start, root)
    let resume = false
    for (const point of points) {
      const { from, to } = scenario
      const killed = await runChild({ root, from, to, resume, fault: { ...point, by: 'kill' } })
      if (killed !== 'SIGKILL') break
      const torn = await findTornFiles(root, scenario)
      if (torn.length > 0) return torn
      resume = (await createUpdates(machineAt(root)).interrupted()) !== undefined
      if (!resume) break
    }
    return await checkRecovery(root, scenario, points[0]!.at)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** With modes and owners, which `fs.cp` of Node does not copy. */
export async function copyTree(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

/** In some cases the machine has rebooted in between, whether the update requested it or not. */
async function checkRecovery(
  root: string,
  scenario: CrashScenario,
  fate: number,
): Promise<string[]> {
  const machine = machineAt(root)
  if (fate % 3 === 0) await machine.boot()
  const updates = createUpdates(machine)
  const interrupted = await updates.interrupted()
  const outcome = interrupted && (await runToEnd(machine, () => updates.resume(testRun())))
  const tree = await treeAt(root)
  const [isBefore, isAfter] = [same(tree, scenario.before), same(tree, scenario.after)]
  const isTrue =
    outcome === undefined ? isBefore || isAfter : isExpectedOutcome(outcome, isBefore, isAfter)
  const description = outcome === undefined ? 'nothing was interrupted' : JSON.stringify(outcome)
  if (!isTrue)
    return [description, ...diffTrees(tree, isBefore ? scenario.after : nearest(tree, scenario))]
  return (await createUpdates(machine).interrupted()) ? ['an update is still in progress'] : []
}

const isExpectedOutcome = (outcome: UpdateOutcome, isBefore: boolean, isAfter: boolean): boolean =>
  (outcome.type === 'applied' && isAfter) || (outcome.type === 'rolledBack' && isBefore)

/** Every file is in its old or its new state; temporary files have other names. */
async function findTornFiles(root: string, { before, goal }: CrashScenario): Promise<string[]> {
  const fine = new Set([...before, ...goal])
  const tree = await treeAt(root)
  const odd = tree.filter((line) => !fine.has(line) && !ignoredLines.test(line))
  return odd.map((line) => `torn: ${line}`)
}

/** The journal, temporary files, and the state of the boot loader. */
const ignoredLines = /^\/etc\/machine-config-daemon\/journal|\.machinist(\/| )|\/deployments\.json /

export function diffTrees(tree: readonly string[], expected: readonly string[]): string[] {
  const [actualLines, expectedLines] = [new Set(tree), new Set(expected)]
  return [
    ...tree.filter((line) => !expectedLines.has(line)).map((line) => `+ ${line}`),
    ...expected.filter((line) => !actualLines.has(line)).map((line) => `- ${line}`),
  ]
}

const same = (tree: readonly string[], expected: readonly string[]): boolean =>
  diffTrees(tree, expected).length === 0

function nearest(tree: readonly string[], { before, after }: CrashScenario): readonly string[] {
  return diffTrees(tree, before).length < diffTrees(tree, after).length ? before : after
}

/** Runs a task in a new process. Returns its output, or the signal that ended it. */
export async function runChild(task: ChildTask): Promise<string> {
  const program = join(import.meta.dirname, 'crash-child.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return signal ?? Buffer.concat(output).toString()
}
