import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { Updates } from '../apply/update.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import type { Host } from '../host/host.ts'
import { readDiskState } from '../state/disk-state.ts'
import { drainStateOf } from './decision/drain-request.ts'
import type { NodeView } from '../node/node-view.ts'
import type { FollowFacts, MachineFacts } from './decision/facts.ts'
import type { MachineConfigs } from './machine-configs.ts'
import type { FollowMemory } from './memory.ts'
import type { PolicySource } from './policy-source.ts'
import type { RuleSource } from './rule-source.ts'
import { annotationOf } from '../node/node-view.ts'
import { neededConfigs } from './decision/situation.ts'

/** The sources of the facts. */
export interface FollowSources {
  readonly node: () => NodeView | undefined
  readonly host: Host
  readonly updates: Updates
  readonly configs: MachineConfigs
  readonly policies: PolicySource
  /** How certificates are delivered to this node. `isDue`: an update depends on it, so it must be as new as the config. */
  readonly delivery?: (isDue: boolean, signal: AbortSignal) => Promise<CertificateDelivery>
  readonly memory: FollowMemory
  readonly machine: MachineSource
  readonly drift: DriftPolicy
  /** As the OS reported it after this boot. */
  readonly finalizationFailure?: string
}

/** Reads the facts of a decision; requests from the API server only what the disk does not contain. */
export async function gather(sources: FollowSources, signal: AbortSignal): Promise<FollowFacts> {
  const { host, updates, memory, drift, finalizationFailure } = sources
  const node = sources.node()
  const disk = await readDiskState(host.files)
  const interrupted = memory.rebooting ? undefined : await updates.interrupted()
  const configs: Record<string, MachineConfig | 'missing'> = {}
  if (node && !interrupted && !memory.rebooting) {
    for (const name of neededConfigs(node, disk)) {
      configs[name] = await sources.configs.get(name, signal)
    }
  }
  const { checked, failure, rebooting, settled } = memory
  return {
    ...(node && { node }),
    disk,
    ...(interrupted && { interrupted }),
    rebooting,
    settled,
    machine: await sources.machine.facts(),
    configs,
    ...(await rulesFor(sources, node, disk.config?.metadata.name, signal)),
    ...(checked && { checked }),
    ...(failure && { failure }),
    waitedMs: node ? memory.waitedMs(drainStateOf(node)) : 0,
    drift,
    ...(finalizationFailure !== undefined && { finalizationFailure }),
  }
}

/** Requests the rules only if an update or a repair needs them. */
async function rulesFor(
  { policies, memory, drift, delivery }: FollowSources,
  node: NodeView | undefined,
  onDisk: string | undefined,
  signal: AbortSignal,
): Promise<Pick<FollowFacts, 'rules' | 'delivery'>> {
  const mayHeal = drift === 'heal' && (memory.checked?.differences.length ?? 0) > 0
  const isOther = node !== undefined && annotationOf(node, nodeAnnotations.desiredConfig) !== onDisk
  const isDue = isOther || mayHeal
  return {
    ...(delivery && { delivery: await delivery(isDue, signal) }),
    rules: isDue ? await policies.current(signal) : policies.defaults(),
  }
}

/** Reads the facts of the machine once per boot. */
export class MachineSource {
  readonly #host: Host
  readonly #rules: RuleSource
  #facts: MachineFacts | undefined

  constructor(host: Host, rules: RuleSource) {
    this.#host = host
    this.#rules = rules
  }

  async facts(): Promise<MachineFacts> {
    this.#facts ??= await machineFacts(this.#host, this.#rules)
    return this.#facts
  }
}

export async function machineFacts({ os }: Host, rules: RuleSource): Promise<MachineFacts> {
  const { id, versionId, architecture, changes, fips } = await os.facts()
  const { booted } = await os.state()
  // The 4.12 rules use the older path of SSH keys on the older OS.
  const isOld =
    rules === '4.12' && /^(rhel|rhcos|centos)$/.test(id) && /^(4\.|8(\.|$))/.test(versionId)
  return {
    ...(fips !== undefined && { fips }),
    os: changes,
    architecture,
    keysPath: isOld ? 'authorized_keys' : 'authorized_keys.d/ignition',
    booted,
  }
}
