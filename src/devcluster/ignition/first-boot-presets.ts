import type { Host } from '../../daemon/host/host.ts'
import { HostFailure } from '../../daemon/host/host-failure.ts'
import { presetOf, presetRules } from '../../daemon/host/simulated/preset-rules.ts'

const directories = ['/etc/systemd/system', '/usr/lib/systemd/system']

/** As systemd at the first boot: enables the units that the presets enable, and disables none. */
export async function applyFirstBootPresets({
  files,
  units,
}: Pick<Host, 'files' | 'units'>): Promise<void> {
  const rules = await presetRules(files)
  const names = new Set<string>()
  for (const directory of directories) {
    for (const name of await files.list(directory)) {
      if (/\.(service|socket|timer|path|target|mount|slice)$/.test(name)) names.add(name)
    }
  }
  for (const name of names) {
    if ((await units.enablement(name)) === 'masked') continue
    for (const enabled of presetOf(rules, name).enable) await enable(units, enabled)
  }
}

/** systemd ignores units that cannot be enabled, such as a template without an instance. */
async function enable(units: Host['units'], name: string): Promise<void> {
  try {
    await units.enable([name])
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error
  }
}
