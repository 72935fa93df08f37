import type { Host } from '../host/host.ts'
import type { MachineFacts } from './facts/facts.ts'
import type { RuleSource } from './rule-source.ts'

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
