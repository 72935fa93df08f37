import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { pointsOf } from '../apply/crash-points.ts'
import { machineAt, quickDisk } from '../../../../src/daemon/apply/machine.fixture.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyDisk, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import type { Errand } from './crash-child.ts'
import type { Scene } from './crash-scene.ts'
import { deliver, deliveryScene, onCopy, removeScene, torn, unreached } from './crash-scene.ts'
import { Trial } from './trial.ts'

/**
 * Interrupts a delivery of all items at the points where it changes the disk, and checks the disk before and after the next
 * daemon runs. `make test` stops the work at some of these points and kills a process at a few; CRASH_POINTS=all tries all
 * points in both ways.
 */
const requested = process.env['CRASH_POINTS']
const timeout = 60 * 60_000

// Only root can change the owner of files.
const isRoot = process.getuid?.() === 0

let scene: Scene
let points: readonly Death[]
beforeAll(async () => {
  if (!isRoot) return
  scene = await deliveryScene()
  const faults = new Faults()
  await onCopy(scene, async (root) => {
    const { files } = machineAt(root, faultyDisk(quickDisk, faults))
    await deliver(await Trial.open({ files }), scene.after)
  })
  points = pointsOf(faults.operations)
})
afterAll(async () => {
  if (isRoot) await removeScene(scene)
})

describe.runIf(isRoot)('an interrupted delivery', { timeout }, () => {
  it('leaves nothing torn, empty or missing, and the next daemon completes it', async () => {
    const tried = sampled(8)
    expect(await survived(tried, freeze)).toEqual([])
    log('stopped', tried.length)
  })

  it('by SIGKILL leaves nothing torn either', async () => {
    const tried = sampled(1)
    expect(await survived(tried, kill)).toEqual([])
    log('killed', tried.length)
  })
})

type End = (root: string, death: Death) => Promise<void>

async function survived(tried: readonly Death[], end: End): Promise<string[]> {
  const failures: string[] = []
  for (const death of tried) {
    const problems = await onCopy(scene, async (root) => {
      await end(root, death)
      return [...(await torn(root, scene)), ...(await unreached(root, scene))]
    })
    if (problems.length > 0) failures.push([`${death.die} ${death.at}`, ...problems].join('\n  '))
  }
  return failures
}

async function freeze(root: string, death: Death): Promise<void> {
  const faults = new Faults({ ...death, by: 'freeze' })
  const { files } = machineAt(root, faultyDisk(quickDisk, faults))
  const delivered = Trial.open({ files }).then((trial) => deliver(trial, scene.after))
  await Promise.race([delivered, faults.died])
}

async function kill(root: string, death: Death): Promise<void> {
  const errand: Errand = { root, given: scene.after, death: { ...death, by: 'kill' } }
  const program = join(import.meta.dirname, 'crash-child.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], { stdio: 'inherit' })
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe('SIGKILL')
}

/** One point of each section, so that every part of the delivery is covered. */
function sampled(fallback: number): readonly Death[] {
  const limit = requested === 'all' ? Infinity : Number(requested ?? fallback)
  const count = Math.min(limit, points.length)
  const random = seededRandom(7)
  const section = points.length / count
  return Array.from({ length: count }, (_, i) => {
    const at = count === points.length ? i : Math.floor((i + random.next()) * section)
    return points[at]!
  })
}

const log = (how: string, tried: number): void =>
  void process.stdout.write(`trust: ${how} at ${tried} of ${points.length} points\n`)
