import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { copyTree, diffTrees } from '../apply/crash-points.ts'
import { machineAt, seedMachine, treeAt } from '../../../../src/daemon/apply/machine.fixture.ts'
import { bundle } from './certificates.ts'
import type { Given } from './trial.ts'
import { Trial, TrialConfig } from './trial.ts'

/** A delivery that changes, adds and removes items, next to files that the lane does not own. */
export interface Scene {
  readonly scratch: string
  /** A machine after the first delivery. */
  readonly start: string
  readonly before: Given
  readonly after: Given
  readonly treeBefore: readonly string[]
  readonly treeAfter: readonly string[]
}

export async function deliveryScene(): Promise<Scene> {
  const scratch = await mkdtemp(join(tmpdir(), 'machinist-trust-'))
  const [start, end] = [join(scratch, 'start'), join(scratch, 'end')]
  const [a, b, c] = [await bundle('a'), await bundle('a', 'b'), await bundle('c')]
  const before = {
    kubelet: a,
    cloud: a,
    registries: { 'changes..5000': a, goes: a },
    pullSecret: '{"auths":{"before":{"auth":"canary"}}}',
  }
  const after = {
    kubelet: b,
    cloud: b,
    registries: { 'changes..5000': b, comes: c },
    pullSecret: '{"auths":{"after":{"auth":"canary"}}}',
  }
  await mkdir(start)
  await seedMachine(start)
  const { files } = machineAt(start)
  await deliver(await Trial.open({ files }), before)
  const attributes = { mode: 0o755, uid: 0, gid: 0 }
  await files.makeDirectory('/etc/docker/certs.d/by-hand', attributes)
  for (const path of ['by-hand/ca.crt', 'goes/client.cert']) {
    const content = Buffer.from('not ours')
    await files.write(`/etc/docker/certs.d/${path}`, { content, mode: 0o644, uid: 0, gid: 0 })
  }
  await mkdir(end)
  await copyTree(start, end)
  await deliver(await Trial.open({ files: machineAt(end).files }), after)
  const [treeBefore, treeAfter] = [await trustTree(start), await trustTree(end)]
  return { scratch, start, before, after, treeBefore, treeAfter }
}

export const removeScene = ({ scratch }: Scene): Promise<void> =>
  rm(scratch, { recursive: true, force: true })

export function deliver(trial: Trial, given: Given): Promise<void> {
  trial.config.give(given)
  return trial.settle(3_600_000)
}

/** All files but the ledger, whose times differ. */
async function trustTree(root: string): Promise<string[]> {
  return (await treeAt(root)).filter((line) => !line.startsWith(nodePaths.trust))
}

/** Runs `work` on a copy of the machine. */
export async function onCopy<T>(scene: Scene, work: (root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(scene.scratch, 'copy-'))
  try {
    await copyTree(scene.start, root)
    return await work(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Files that are neither in the old nor in the new state. Unfinished files have names of their own. */
export async function torn(root: string, { treeBefore, treeAfter }: Scene): Promise<string[]> {
  const valid = new Set([...treeBefore, ...treeAfter])
  const tree = (await trustTree(root)).filter((line) => !isUnfinished(line))
  const paths = new Set(tree.map(pathOf))
  const always = treeBefore
    .map(pathOf)
    .filter((path) => treeAfter.some((each) => pathOf(each) === path))
  return [
    ...tree.filter((line) => !valid.has(line)).map((line) => `torn: ${line}`),
    ...always.filter((path) => !paths.has(path)).map((path) => `missing: ${path}`),
  ]
}

/** The parts that the next daemon does not complete. */
export async function unreached(root: string, scene: Scene): Promise<string[]> {
  const config = new TrialConfig()
  const trial = await Trial.open({ files: machineAt(root).files, config })
  await deliver(trial, scene.after)
  const left = await trustTree(root)
  const bad = trial.states().filter((state) => !state.endsWith(' Current'))
  return [...diffTrees(left, scene.treeAfter), ...bad]
}

const pathOf = (line: string): string => line.split(' ')[0]!

const isUnfinished = (line: string): boolean => /\.machinist\/? /.test(line)
