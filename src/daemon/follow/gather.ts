import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Updates } from '../apply/update.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import type { Host } from '../host/host.ts'
import type { NodeView } from '../node/node-view.ts'
import { annotationOf } from '../node/node-view.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { DiskState } from '../state/disk-state.ts'
import { readDiskState } from '../state/disk-state.ts'
import type { TrustView } from '../trust/view/trust-view.ts'
import { drainStateOf } from './facts/drain-request.ts'
import type { FollowFacts } from './facts/facts.ts'
import { neededConfigs } from './facts/situation.ts'
import type { MachineConfigs } from './machine-configs.ts'
import type { MachineSource } from './machine-source.ts'
import type { FollowMemory } from './memory.ts'
import type { PolicySource } from './policy-source.ts'

/** The sources of the facts. */
export interface FollowSources {
  readonly node: Pick<OwnNode, 'view'>
  readonly host: Host
  readonly updates: Updates
  readonly configs: MachineConfigs
  readonly policies: PolicySource
  readonly trust: TrustView
  readonly memory: FollowMemory
  readonly machine: MachineSource
  readonly drift: DriftPolicy
  /** As the OS reported it after this boot. */
  readonly finalizationFailure?: string
  /** Aborts when the daemon stops. */
  readonly stop: AbortSignal
}

/**
 * Reads the facts of a decision; requests from the API server only what the disk does not contain. Undefined if the daemon
 * stops.
 */
export async function gather(
  sources: FollowSources,
  isFirstPass: boolean,
): Promise<FollowFacts | undefined> {
  const { host, updates, memory, drift, finalizationFailure, stop } = sources
  if (isFirstPass) memory.startReconcile()
  if (stop.aborted) return undefined
  const node = sources.node.view()
  const disk = await readDiskState(host.files)
  const interrupted = memory.rebooting ? undefined : await updates.interrupted()
  const configs =
    node && !interrupted && !memory.rebooting ? await configsFor(sources, node, disk) : {}
  const { checked, failure, rebooting, settled } = memory
  return {
    ...(node && { node }),
    disk,
    ...(interrupted && { interrupted }),
    rebooting,
    settled,
    machine: await sources.machine.facts(),
    configs,
    ...(await rulesFor(sources, node, disk.config?.metadata.name)),
    ...(checked && { checked }),
    ...(failure && { failure }),
    waitedMs: node ? memory.waitedMs(drainStateOf(node)) : 0,
    drift,
    ...(finalizationFailure !== undefined && { finalizationFailure }),
  }
}

async function configsFor(
  { configs, stop }: FollowSources,
  node: NodeView,
  disk: DiskState,
): Promise<FollowFacts['configs']> {
  const found: Record<string, MachineConfig | 'missing'> = {}
  for (const name of neededConfigs(node, disk)) found[name] = await configs.get(name, stop)
  return found
}

/** Requests the rules and the delivery only if an update or a repair needs them: they must be as new as its config. */
async function rulesFor(
  { policies, memory, drift, trust, stop }: FollowSources,
  node: NodeView | undefined,
  onDisk: string | undefined,
): Promise<Pick<FollowFacts, 'rules' | 'delivery'>> {
  const mayHeal = drift === 'heal' && (memory.checked?.differences.length ?? 0) > 0
  const isOther = node !== undefined && annotationOf(node, nodeAnnotations.desiredConfig) !== onDisk
  if (!isOther && !mayHeal) return { delivery: trust.delivery, rules: policies.defaults() }
  await trust.catchUp(stop)
  return { delivery: trust.delivery, rules: await policies.current(stop) }
}
