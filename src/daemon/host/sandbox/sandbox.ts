import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Disk } from '../files/disk.ts'
import { realDisk } from '../files/disk.ts'
import type { HostFiles, NewDirectory } from '../host.ts'
import { parentOf } from '../paths.ts'
import { RootedFiles } from '../files/rooted-files.ts'
import { describeAction } from '../simulated/machine-action.ts'
import type { MachineOptions } from '../simulated/machine-seed.ts'
import { machineSeed } from '../simulated/machine-seed.ts'
import { SimulatedMachine } from '../simulated/simulated-machine.ts'
import { osStatePath } from '../simulated/simulated-os.ts'
import { simulationState, loadTextFile } from '../simulated/state-file.ts'
import { PlainUnitLinks } from '../simulated/unit-links.ts'
import { currentUser, SidecarAttributes } from './sidecar-attributes.ts'
import { systemctlLinks } from './systemctl-links.ts'

export interface SandboxOptions extends MachineOptions {
  /** The directory of the machine. Created if it does not exist. */
  readonly root: string
  readonly clock: Clock
  readonly disk?: Disk
  /** Create links without systemctl even if it is installed: faster, and every step goes through the disk. */
  readonly plainLinks?: boolean
}

export type Sandbox = SimulatedMachine<RootedFiles>

/** The actions that were requested of services and of the machine, one line each: time, action, reason. */
export const sandboxLog = '/var/log/machinist-sandbox.log'

/**
 * A directory tree as a machine. A new directory is filled with the files of a new machine. A machine with a requested reboot
 * is booted now: a daemon that exits after it requested a reboot, and is started again, runs after the reboot.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, disk = realDisk } = options
  const root = resolve(options.root)
  await mkdir(root, { recursive: true })
  const files = await filesOf(disk, root)
  const links = options.plainLinks ? undefined : await systemctlLinks(clock, root)
  const machine = new SimulatedMachine({
    files,
    links: links ?? new PlainUnitLinks(files),
    record: async (action) => {
      const line = `${new Date(clock.now()).toISOString()} ${describeAction(action)}\n`
      await files.append(sandboxLog, Buffer.from(line))
    },
    restarts: async (unit) => {
      const log = (await loadTextFile(files, sandboxLog)) ?? ''
      const line = ` ${describeAction({ type: 'restart', unit })}`
      return log.split('\n').filter((each) => each.endsWith(line)).length
    },
    salt: () => `${root} ${clock.now()}`,
    architecture: options.os?.architecture ?? architectures[process.arch] ?? process.arch,
  })
  await seed(files, options, `${root} ${clock.now()}`)
  if (await machine.power.isDown()) await machine.boot()
  return machine
}

async function filesOf(disk: Disk, root: string): Promise<RootedFiles> {
  const plain = new RootedFiles({ disk, root })
  if (currentUser().uid === 0) return plain
  await makeWithParents(plain, simulationState, { mode: 0o755, ...currentUser() })
  return new RootedFiles({ disk, root, attributes: await SidecarAttributes.open(plain) })
}

async function makeWithParents(
  files: HostFiles,
  path: string,
  directory: NewDirectory,
): Promise<void> {
  if (path === '/') return
  await makeWithParents(files, parentOf(path), directory)
  await files.makeDirectory(path, directory)
}

/** Runs once, and keeps existing files: a user may have prepared the tree. */
async function seed(files: HostFiles, options: MachineOptions, salt: string): Promise<void> {
  if ((await files.stat(osStatePath)) !== undefined) return
  const { directories, files: contents } = machineSeed(options, salt)
  for (const [path, directory] of directories) await files.makeDirectory(path, directory)
  // The state of the OS comes last: it marks a complete seed.
  const last = [...contents].sort(
    ([a], [b]) => Number(a === osStatePath) - Number(b === osStatePath),
  )
  for (const [path, file] of last) {
    if ((await files.stat(path)) === undefined) await files.write(path, file)
  }
}

const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }
