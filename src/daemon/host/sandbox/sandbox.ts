import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Disk } from '../disk.ts'
import { realDisk } from '../disk.ts'
import type { HostFiles, NewDirectory } from '../host.ts'
import { parentOf } from '../paths.ts'
import { RootedFiles } from '../rooted-files.ts'
import { inWords } from '../simulated/machine-action.ts'
import type { MachineOptions } from '../simulated/machine-seed.ts'
import { machineSeed } from '../simulated/machine-seed.ts'
import { SimulatedMachine } from '../simulated/simulated-machine.ts'
import { osStatePath } from '../simulated/simulated-os.ts'
import { simulationState, textAt } from '../simulated/state-file.ts'
import { PlainUnitLinks } from '../simulated/unit-links.ts'
import { ourselves, SidecarAttributes } from './sidecar-attributes.ts'
import { systemctlLinks } from './systemctl-links.ts'

export interface SandboxOptions extends MachineOptions {
  /** The directory that is the machine. Made if it is not there. */
  readonly root: string
  readonly clock: Clock
  readonly disk?: Disk
  /** Make links as systemctl would even where it is installed: quicker, and every step of it goes through the disk. */
  readonly plainLinks?: boolean
}

export type Sandbox = SimulatedMachine<RootedFiles>

/** What was asked of services and of the machine, for people: time, action, reason. */
export const sandboxLog = '/var/log/machinist-sandbox.log'

/**
 * A directory tree as a machine. If it is new, it gets what every machine has; if it went down for a reboot, it is booted now:
 * so a daemon that ends when it has asked for one, and is started again, finds itself after the reboot.
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
    note: async (action) => {
      const line = `${new Date(clock.now()).toISOString()} ${inWords(action)}\n`
      await files.append(sandboxLog, Buffer.from(line))
    },
    restarts: async (unit) => {
      const log = (await textAt(files, sandboxLog)) ?? ''
      const line = ` ${inWords({ do: 'restart', unit })}`
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
  if (ourselves().uid === 0) return plain
  await makeWithParents(plain, simulationState, { mode: 0o755, ...ourselves() })
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

/** Once, and only what is not there: somebody may have prepared a tree. */
async function seed(files: HostFiles, options: MachineOptions, salt: string): Promise<void> {
  if ((await files.look(osStatePath)) !== undefined) return
  const { directories, files: contents } = machineSeed(options, salt)
  for (const [path, directory] of directories) await files.makeDirectory(path, directory)
  // The state of the OS last: it says that all is there.
  const last = [...contents].sort(
    ([a], [b]) => Number(a === osStatePath) - Number(b === osStatePath),
  )
  for (const [path, file] of last) {
    if ((await files.look(path)) === undefined) await files.write(path, file)
  }
}

const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }
