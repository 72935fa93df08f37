import type { MachineConfig } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { Updates } from '../apply/update.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import type { Host } from '../host/host.ts'
import { readDiskState } from '../state/disk-state.ts'
import { drainStateOf } from './drain-request.ts'
import type { Facts, MachineFacts, NodeView } from './facts.ts'
import type { MachineConfigs } from './machine-configs.ts'
import type { Memory } from './memory.ts'
import type { PolicySource } from './policy-source.ts'
import type { RuleSource } from './rule-source.ts'
import { configsNeeded, text } from './situation.ts'

/** Where facts come from. */
export interface Sources {
  readonly node: () => NodeView | undefined
  readonly host: Host
  readonly updates: Updates
  readonly configs: MachineConfigs
  readonly policies: PolicySource
  /** How certificates come to this node. `isDue`: an update goes by it, so it has to be as new as its config. */
  readonly delivery?: (isDue: boolean, signal: AbortSignal) => Promise<CertificateDelivery>
  readonly memory: Memory
  readonly machine: MachineSource
  readonly drift: DriftPolicy
  /** As the machine told after its boot. */
  readonly finalizationFailure?: string
}

/** Reads all that a decision needs; asks the cluster only for what the disk does not know. */
export async function gather(sources: Sources, signal: AbortSignal): Promise<Facts> {
  const { host, updates, memory, drift, finalizationFailure } = sources
  const node = sources.node()
  const disk = await readDiskState(host.files)
  const interrupted = memory.rebooting ? undefined : await updates.interrupted()
  const configs: Record<string, MachineConfig | 'missing'> = {}
  if (node && !interrupted && !memory.rebooting) {
    for (const name of configsNeeded(node, disk)) {
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

/** A node that is in order needs no rules, so nobody is asked for them. */
async function rulesFor(
  { policies, memory, drift, delivery }: Sources,
  node: NodeView | undefined,
  onDisk: string | undefined,
  signal: AbortSignal,
): Promise<Pick<Facts, 'rules' | 'delivery'>> {
  const mayHeal = drift === 'heal' && (memory.checked?.differences.length ?? 0) > 0
  const isOther = node !== undefined && text(node, nodeAnnotations.desiredConfig) !== onDisk
  const isDue = isOther || mayHeal
  return {
    ...(delivery && { delivery: await delivery(isDue, signal) }),
    rules: isDue ? await policies.current(signal) : policies.unasked(),
  }
}

/** What stays the same until the next boot, asked for once. */
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
  // The first generation knows the older place of keys, on the older OS.
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
