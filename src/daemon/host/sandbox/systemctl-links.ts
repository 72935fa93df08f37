import { access, constants } from 'node:fs/promises'
import type { Clock } from '@machinist/core/clock'
import type { UnitLinks } from '../simulated/unit-links.ts'

/** The real systemctl on a directory; undefined if it is not installed. */
export async function systemctlLinks(clock: Clock, root: string): Promise<UnitLinks | undefined> {
  try {
    await access('/usr/bin/systemctl', constants.X_OK)
  } catch {
    return undefined
  }
  const { LinuxUnits } = await import('../linux/linux-units.ts')
  const { SystemRunner } = await import('../linux/commands/system-runner.ts')
  return new LinuxUnits(new SystemRunner({ clock }), root)
}
