import type { MachineConfig } from '../../api/kinds/resources.ts'
import { hostOf } from '../../fleet/trust/registries.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { DriftExceptions } from '../drift/exceptions.ts'
import type { DiskState } from '../state/disk-state.ts'
import { readDiskState } from '../state/disk-state.ts'
import { removeForceFile, storeConfig } from '../state/state-changes.ts'
import { findDifferences } from '../verify/differences.ts'
import type { SharedFiles } from '../verify/shared-files.ts'
import type { FollowDecision } from './decide/decision.ts'
import type { FollowFacts } from './facts/facts.ts'
import { attemptOf } from './facts/situation.ts'
import type { FollowSources } from './gather.ts'
import type { UpdateContext, UpdateEnd } from './run-update.ts'
import { resumeUpdate, runUpdate } from './run-update.ts'

export interface FollowActContext extends FollowSources, UpdateContext {
  readonly driftWatch: DriftWatch
  readonly exceptions: DriftExceptions
  readonly shared: SharedFiles
  /** Called when the machine reboots: the daemon has nothing left to do. */
  readonly rebooting: () => void
}

/** How an action ended, as far as the next decision needs it. */
export type FollowResult =
  | { readonly type: 'acted' }
  | { readonly type: 'verified'; readonly config: string; readonly isClean: boolean }
  | UpdateEnd

const acted: FollowResult = { type: 'acted' }

/** Carries out the next action. The annotations that a decision sets have been announced already. */
export async function act(
  { next }: FollowDecision,
  { node, disk }: FollowFacts,
  context: FollowActContext,
): Promise<FollowResult> {
  if (!node) return acted
  if (next.action === 'verify') return verify(next.config, disk, context)
  if (next.action === 'update' || next.action === 'resume') {
    stopWatching(context)
    const ended = await (next.action === 'update'
      ? runUpdate(node, next.update, context)
      : resumeUpdate(node, next.interrupted, context))
    await afterUpdate(ended, context)
    return ended
  }
  if (next.action === 'storeConfig') await storeConfig(context.host.files, next.config, next.image)
  if (next.action === 'done') await finish(context)
  return acted
}

async function verify(
  config: MachineConfig,
  { bootstrap }: DiskState,
  context: FollowActContext,
): Promise<FollowResult> {
  const { host, memory, driftWatch, exceptions, shared } = context
  // Watch first: a change during the verification causes another one, after the result has been reported.
  const before = memory.invalidations
  driftWatch.arm(config)
  const found = await findDifferences(host, config, { os: true, shared })
  const all = exceptions.without(found)
  // A new machine has the CAs of registries from the server. The trust lane knows them only when it has read the ControllerConfig.
  const differences = bootstrap ? all.filter(({ at }) => hostOf(at) === undefined) : all
  const { name } = config.metadata
  memory.rememberSince(before, { config: name, differences })
  return { type: 'verified', config: name, isClean: differences.length === 0 }
}

function stopWatching({ driftWatch, memory }: FollowActContext): void {
  driftWatch.pause()
  memory.startUpdate()
}

async function afterUpdate(ended: UpdateEnd, context: FollowActContext): Promise<void> {
  const { node, host, updates, memory, rebooting } = context
  switch (ended.type) {
    case 'applied': {
      const { config, differences } = ended
      await removeForceFile(host.files)
      memory.succeeded()
      if (differences.length === 0) return
      memory.remember({ config, differences, afterUpdate: true })
      await watchAgain(context)
      return
    }
    case 'rebooting':
      await removeForceFile(host.files)
      memory.rebooting = true
      rebooting()
      return
    case 'parked':
      return
    case 'failed': {
      // With an entry left in the journal, the next attempt is another one: a resume.
      const disk = await watchAgain(context)
      const interrupted = await updates.interrupted()
      memory.failed(attemptOf({ node: node.view(), disk, interrupted }), ended.reason)
    }
  }
}

/** After a failed update: a repair of the disk must be noticed before the next periodic verification. */
async function watchAgain({ host, driftWatch }: FollowActContext): Promise<DiskState> {
  const disk = await readDiskState(host.files)
  if (disk.config) driftWatch.arm(disk.config)
  return disk
}

async function finish(context: FollowActContext): Promise<void> {
  const { memory, configs } = context
  const isFirst = !memory.settled
  memory.settled = true
  memory.succeeded()
  // Configs are large, and a node that is Done needs none.
  configs.forget()
  if (isFirst) await dropRollback(context)
}

/** The previous OS is kept until the node is Done, so that a rollback needs no download. */
async function dropRollback({ host, log }: FollowActContext): Promise<void> {
  try {
    await host.os.dropRollback()
  } catch (error) {
    log.error('cannot remove the previous OS deployment', error)
  }
}
