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
 * Cuts off a delivery of all items at once, wherever it changes the disk, and looks what is left and what the next daemon
 * makes of it. `make test` stops the work at some of these points and kills a process at a few; CRASH_POINTS=all tries all
 * of them in both ways.
 */
const wanted = process.env['CRASH_POINTS']
const patience = 60 * 60_000

// Only root can give files to others.
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

describe.runIf(isRoot)('a delivery that is cut off', { timeout: patience }, () => {
  it('leaves nothing torn, empty or missing, and the next daemon completes it', async () => {
    const tried = sampled(8)
    expect(await survived(tried, freeze)).toEqual([])
    tell('stopped', tried.length)
  })

  it('also by kill -9', async () => {
    const tried = sampled(1)
    expect(await survived(tried, kill)).toEqual([])
    tell('killed', tried.length)
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

/** One of each stretch, so that no part of the delivery is left out. */
function sampled(usual: number): readonly Death[] {
  const count = Math.min(wanted === 'all' ? Infinity : Number(wanted ?? usual), points.length)
  const random = seededRandom(7)
  const stretch = points.length / count
  return Array.from({ length: count }, (_, i) => {
    const at = count === points.length ? i : Math.floor((i + random.next()) * stretch)
    return points[at]!
  })
}

const tell = (how: string, tried: number): void =>
  void process.stdout.write(`trust: ${how} at ${tried} of ${points.length} points\n`)
