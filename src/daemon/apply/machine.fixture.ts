import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import { sha256Hex } from '@machinist/core/encoding/digest'
import type { Disk } from '../host/files/disk.ts'
import { realDisk } from '../host/files/disk.ts'
import type { Host, HostFiles } from '../host/host.ts'
import { RootedFiles } from '../host/files/rooted-files.ts'
import { describeAction } from '../host/simulated/machine-action.ts'
import { machineSeed } from '../host/simulated/machine-seed.ts'
import { SimulatedMachine } from '../host/simulated/simulated-machine.ts'
import { PlainUnitLinks } from '../host/simulated/unit-links.ts'
import { JournaledUpdates } from './run/journaled-updates.ts'
import type { UpdateRun } from './update.ts'

/** The actions that were requested of services and of the machine, in order. */
const actionsPath = '/var/lib/machinist-sandbox/actions'

/**
 * The real disk without fsync, which matters only for a power loss. The tests of the hosts cover fsync.
 */
export const quickDisk: Disk = {
  ...realDisk,
  async open(path, flags, mode) {
    return { ...(await realDisk.open(path, flags, mode)), sync: () => Promise.resolve() }
  },
}

/** A machine in a directory. All of its state goes through the disk, so that faults can be injected everywhere. */
export function machineAt(root: string, disk: Disk = quickDisk): SimulatedMachine {
  const files = new RootedFiles({ disk, root })
  return new SimulatedMachine({
    files,
    links: new PlainUnitLinks(files),
    record: (action) => files.append(actionsPath, Buffer.from(`${describeAction(action)}\n`)),
    // No test here restarts a kubelet.
    restarts: async () => 0,
    salt: () => 'machine',
    architecture: 'x86_64',
  })
}

/** Creates a new machine in an empty directory. */
export async function seedMachine(root: string): Promise<void> {
  const { directories, files } = machineSeed({}, 'machine')
  for (const [path, { mode, uid, gid }] of directories) {
    await mkdir(join(root, path), { recursive: true })
    await chmod(join(root, path), mode)
    await chown(join(root, path), uid, gid)
  }
  for (const [path, { content, mode, uid, gid }] of files) {
    await writeFile(join(root, path), content, { mode })
    await chown(join(root, path), uid, gid)
  }
}

export const createUpdates = (host: Host, log: Logger = silentLogger): JournaledUpdates =>
  new JournaledUpdates({ host, clock: quickClock(), log })

/** A clock whose timers fire at once, with the time advanced. */
export function quickClock(): Clock {
  let elapsed = 0
  return {
    now: () => elapsed,
    elapsed: () => elapsed,
    after(ms, task) {
      const timer = setImmediate(() => {
        elapsed += ms
        task()
      })
      return () => clearImmediate(timer)
    },
  }
}

export const testRun = (): UpdateRun => ({
  progress: () => {},
  signal: new AbortController().signal,
})

/** As `treeAt`, for any machine. */
export async function treeOf(files: HostFiles): Promise<string[]> {
  const lines: string[] = []
  const walk = async (path: string): Promise<void> => {
    for (const name of await files.list(path)) {
      const inside = path === '/' ? `/${name}` : `${path}/${name}`
      const entry = volatilePaths.has(inside) ? undefined : await files.stat(inside)
      if (!entry) continue
      if (entry.type === 'other') lines.push(`${inside} other`)
      else if (entry.type === 'symlink') lines.push(`${inside} -> ${entry.target}`)
      else {
        const owner = `${entry.mode.toString(8)} ${entry.uid}:${entry.gid}`
        if (entry.type === 'directory') lines.push(`${inside}/ ${owner}`)
        else lines.push(`${inside} file ${owner} ${shortDigest(await files.read(inside))}`)
      }
      if (entry.type === 'directory') await walk(inside)
    }
  }
  await walk('/')
  return lines
}

const shortDigest = (content: Uint8Array): string => sha256Hex(content).slice(0, 16)

/** State of the boot, not of the configuration. */
const volatilePaths: ReadonlySet<string> = new Set([
  actionsPath,
  '/proc/sys/kernel/random/boot_id',
  '/proc/cmdline',
  '/var/lib/machinist-sandbox/reboot',
])

/** A whole tree as text, one line per entry: type, mode, owner, and digest of the content. */
export async function treeAt(root: string): Promise<string[]> {
  const lines: string[] = []
  const walk = async (path: string): Promise<void> => {
    for (const name of (await readdir(join(root, path))).sort()) {
      const inside = path === '/' ? `/${name}` : `${path}/${name}`
      if (!volatilePaths.has(inside)) await note(inside)
    }
  }
  const note = async (path: string): Promise<void> => {
    const at = join(root, path)
    const stats = await lstat(at)
    const who = `${(stats.mode & 0o7777).toString(8)} ${stats.uid}:${stats.gid}`
    if (stats.isSymbolicLink()) lines.push(`${path} -> ${await readlink(at)}`)
    else if (stats.isFile()) {
      lines.push(`${path} file ${who} ${shortDigest(await readFile(at))}`)
    } else if (stats.isDirectory()) {
      lines.push(`${path}/ ${who}`)
      await walk(path)
    } else lines.push(`${path} other`)
  }
  await walk('/')
  return lines
}
