import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Outcome } from '../../../../src/daemon/apply/update.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import type { Errand } from './crash-child.ts'
import {
  machineAt,
  plainRun,
  treeAt,
  updatesOn,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { SceneName } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { carryOut } from '../../../../src/daemon/apply/scenario.fixture.ts'

/** One update on one machine, and how the machine looks before and after it. */
export interface Journey {
  readonly name: string
  readonly from: SceneName
  readonly to: SceneName
  /** A machine in the config of before. */
  readonly start: string
  /** The same machine in the config of after. */
  readonly end: string
  readonly before: readonly string[]
  /** As before, for one that cannot succeed. */
  readonly after: readonly string[]
  /** What it tries to reach. */
  readonly goal: readonly string[]
  /** Every operation of an update that nobody disturbs. */
  readonly operations: readonly string[]
  readonly scratch: string
}

export interface Point {
  readonly at: number
  readonly die: Death['die']
}

/**
 * Every disk that a dead process can leave: before each operation that changes it, half-way through each write, and after
 * the last. To die after an operation, or while reading, leaves the same disk as to die before the next one that changes it.
 */
export function pointsOf(operations: readonly string[]): Point[] {
  const points = operations.flatMap((operation, index): Point[] => {
    const at = index + 1
    if (!changesDisk(operation)) return []
    const before: Point = { at, die: 'before' }
    return operation.startsWith('write ') ? [before, { at, die: 'within' }] : [before]
  })
  return [...points, { at: operations.length, die: 'after' }]
}

const changes = /^(rename|symlink|unlink|mkdir|rmdir|write|chmod|chown|sync) /

const changesDisk = (operation: string): boolean =>
  changes.test(operation) || /^open .*(\.machinist|\/log|\/actions)$/.test(operation)

/**
 * Kills a process that is at it, at one point after the other, each in a process of its own; then goes on here, as the next
 * daemon would. Answers what is wrong, in words; nothing, if it survived.
 */
export async function survive(journey: Journey, points: readonly Point[]): Promise<string[]> {
  const root = await mkdtemp(join(journey.scratch, 'point-'))
  try {
    await copyTree(journey.start, root)
    let resume = false
    for (const point of points) {
      const { from, to } = journey
      const killed = await runChild({ root, from, to, resume, fault: { ...point, by: 'kill' } })
      if (killed !== 'SIGKILL') break
      const torn = await tornIn(root, journey)
      if (torn.length > 0) return torn
      resume = (await updatesOn(machineAt(root)).interrupted()) !== undefined
      if (!resume) break
    }
    return await judge(root, journey, points[0]!.at)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** With modes and owners, which Node's own does not copy. */
export async function copyTree(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

/** Sometimes the machine has rebooted, whether we wanted it or not, and sometimes not, although we did. */
async function judge(root: string, journey: Journey, fate: number): Promise<string[]> {
  const machine = machineAt(root)
  if (fate % 3 === 0) await machine.boot()
  const updates = updatesOn(machine)
  const interrupted = await updates.interrupted()
  const outcome = interrupted && (await carryOut(machine, () => updates.resume(plainRun())))
  const tree = await treeAt(root)
  const [isBefore, isAfter] = [same(tree, journey.before), same(tree, journey.after)]
  const isTrue = outcome === undefined ? isBefore || isAfter : isTold(outcome, isBefore, isAfter)
  const told = outcome === undefined ? 'nothing was interrupted' : JSON.stringify(outcome)
  if (!isTrue) return [told, ...differing(tree, isBefore ? journey.after : nearest(tree, journey))]
  return (await updatesOn(machine).interrupted()) ? ['something is still under way'] : []
}

const isTold = (outcome: Outcome, isBefore: boolean, isAfter: boolean): boolean =>
  (outcome.is === 'applied' && isAfter) || (outcome.is === 'rolledBack' && isBefore)

/** Every file is as it was or as it shall be, whole; unfinished ones have names of their own. */
async function tornIn(root: string, { before, goal }: Journey): Promise<string[]> {
  const fine = new Set([...before, ...goal])
  const tree = await treeAt(root)
  const odd = tree.filter((line) => !fine.has(line) && !isOurs.test(line))
  return odd.map((line) => `torn: ${line}`)
}

/** The journal, unfinished files, and what the boot loader knows. */
const isOurs = /^\/etc\/machine-config-daemon\/journal|\.machinist(\/| )|\/deployments\.json /

export function differing(tree: readonly string[], expected: readonly string[]): string[] {
  const [there, wanted] = [new Set(tree), new Set(expected)]
  return [
    ...tree.filter((line) => !wanted.has(line)).map((line) => `+ ${line}`),
    ...expected.filter((line) => !there.has(line)).map((line) => `- ${line}`),
  ]
}

const same = (tree: readonly string[], expected: readonly string[]): boolean =>
  differing(tree, expected).length === 0

function nearest(tree: readonly string[], { before, after }: Journey): readonly string[] {
  return differing(tree, before).length < differing(tree, after).length ? before : after
}

/** Runs an errand in a process of its own: what it says, or the signal that ended it. */
export async function runChild(errand: Errand): Promise<string> {
  const program = join(import.meta.dirname, 'crash-child.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return signal ?? Buffer.concat(said).toString()
}
