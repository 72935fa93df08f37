import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { parseAnyVersion } from '@machinist/ignition/convert/parse-any'
import type { FirstBootResult } from '../../../src/daemon/first-boot/first-boot.ts'
import { completeFirstBoot } from '../../../src/daemon/first-boot/first-boot.ts'
import type { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { applyIgnition } from '../../../src/devcluster/ignition/apply-ignition.ts'
import { applyFirstBootPresets } from '../../../src/devcluster/ignition/first-boot-presets.ts'
import { answer } from '../../../src/server/answer/answer.ts'
import { servedTrust } from '../../../src/server/answer/served-trust.ts'
import { trustPayloads } from '../../../src/server/answer/state.fixture.ts'
import type { Join } from './arbitrary-join.ts'

export const kubeconfig = 'apiVersion: v1\nkind: Config\n'

/** The config that the server gives a machine, in its version; undefined if that version cannot express it. */
export function served({ rendered, image, version }: Join): string | undefined {
  const inputs = { config: rendered, image, trust: servedTrust(trustPayloads), kubeconfig }
  const made = answer(inputs, version)
  if (made.type === 'config') return made.body
  if (made.reason === 'CannotConvert') return undefined
  throw new Error(made.message)
}

/** Ignition, the first boot of systemd, and that of Machinist with its reboots. */
export async function provision(host: MemoryHost, body: string): Promise<FirstBootResult> {
  const { config } = parseAnyVersion(body)
  await applyIgnition(host, config!)
  await applyFirstBootPresets(host)
  // Boots of Ignition itself do not count.
  host.actions.length = 0
  let end: FirstBootResult = 'rebooting'
  for (let boots = 0; end === 'rebooting' && boots < 5; boots++) {
    end = await completeFirstBoot(
      { host, clock: new VirtualClock(), random: seededRandom(1), log: silentLogger },
      new AbortController().signal,
    )
    if (end === 'rebooting') await host.boot()
  }
  return end
}

export const rebootsOf = ({ actions }: MemoryHost): number =>
  actions.filter(({ type }) => type === 'reboot').length
