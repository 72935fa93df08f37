import type { Clock } from '@machinist/core/clock'
import type { Disk } from '../files/disk.ts'
import { realDisk } from '../files/disk.ts'
import type { Host } from '../host.ts'
import { RootedFiles } from '../files/rooted-files.ts'
import { LinuxAccounts } from './linux-accounts.ts'
import { LinuxImages } from './linux-images.ts'
import { LinuxPower } from './linux-power.ts'
import { LinuxUnits } from './linux-units.ts'
import { LinuxOs } from './os/linux-os.ts'
import type { CommandRunner } from './commands/runner.ts'
import { hasSelinux, SelinuxLabels } from './selinux-labels.ts'
import { chrootInto, SystemRunner } from './commands/system-runner.ts'

export interface LinuxHostOptions {
  readonly clock: Clock
  /** `/`, or the mount point of the machine's root if the daemon runs in a container. */
  readonly root: string
  /** Additional environment variables for programs, such as proxies. */
  readonly environment?: Readonly<Record<string, string>>
  readonly disk?: Disk
  readonly runner?: CommandRunner
}

/** A real machine that runs systemd. */
export function linuxHost(options: LinuxHostOptions): Host {
  const { clock, root, environment, disk = realDisk } = options
  const runner =
    options.runner ??
    new SystemRunner({ clock, enter: chrootInto(root), ...(environment && { environment }) })
  const labels = new SelinuxLabels(runner, () => hasSelinux(files))
  const files = new RootedFiles({ disk, root, labels })
  const units = new LinuxUnits(runner)
  return {
    files,
    units,
    accounts: new LinuxAccounts(files, runner),
    os: new LinuxOs(files, runner),
    power: new LinuxPower({ files, runner, clock }),
    images: new LinuxImages({ files, units, runner }),
  }
}
