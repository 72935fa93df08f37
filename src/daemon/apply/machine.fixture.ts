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
import { sha256Hex } from '@machinist/core/digest'
import { JournaledUpdates } from './journaled-updates.ts'
import type { Run } from './update.ts'
import type { Disk } from '../host/disk.ts'
import { realDisk } from '../host/disk.ts'
import type { Host, HostFiles } from '../host/host.ts'
import { RootedFiles } from '../host/rooted-files.ts'
import { inWords } from '../host/simulated/machine-action.ts'
import { machineSeed } from '../host/simulated/machine-seed.ts'
import { SimulatedMachine } from '../host/simulated/simulated-machine.ts'
import { PlainUnitLinks } from '../host/simulated/unit-links.ts'

/** What was asked of services and of the machine, in the order of asking. */
const actionsPath = '/var/lib/machinist-sandbox/actions'

/**
 * The real disk, without waiting for it to flush: that matters when the power is cut, which no test can do. Files are
 * flushed for real in the tests of the hosts.
 */
export const quickDisk: Disk = {
  ...realDisk,
  async open(path, flags, mode) {
    return { ...(await realDisk.open(path, flags, mode)), sync: () => Promise.resolve() }
  },
}

/** A machine in a directory. Everything that it is goes through the disk, so everything can fail or be cut off. */
export function machineAt(root: string, disk: Disk = quickDisk): SimulatedMachine {
  const files = new RootedFiles({ disk, root })
  return new SimulatedMachine({
    files,
    links: new PlainUnitLinks(files),
    note: (action) => files.append(actionsPath, Buffer.from(`${inWords(action)}\n`)),
    // No test here restarts a kubelet.
    restarts: async () => 0,
    salt: () => 'machine',
    architecture: 'x86_64',
  })
}

/** Puts a new machine into an empty directory. */
export async function plantMachine(root: string): Promise<void> {
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

export const updatesOn = (host: Host, log: Logger = silentLogger): JournaledUpdates =>
  new JournaledUpdates({ host, clock: quickClock(), log })

/** Whoever sleeps wakes at once, and finds that the time has passed. */
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

export const plainRun = (): Run => ({
  progress: () => {},
  signal: new AbortController().signal,
})

/** As `treeAt`, of any machine. */
export async function treeOf(files: HostFiles): Promise<string[]> {
  const lines: string[] = []
  const walk = async (path: string): Promise<void> => {
    for (const name of await files.list(path)) {
      const inside = path === '/' ? `/${name}` : `${path}/${name}`
      const entry = passing.has(inside) ? undefined : await files.look(inside)
      if (!entry) continue
      if (entry.type === 'other') lines.push(`${inside} other`)
      else if (entry.type === 'symlink') lines.push(`${inside} -> ${entry.target}`)
      else {
        const who = `${entry.mode.toString(8)} ${entry.uid}:${entry.gid}`
        if (entry.type === 'directory') lines.push(`${inside}/ ${who}`)
        else lines.push(`${inside} file ${who} ${shortDigest(await files.read(inside))}`)
      }
      if (entry.type === 'directory') await walk(inside)
    }
  }
  await walk('/')
  return lines
}

const shortDigest = (content: Uint8Array): string => sha256Hex(content).slice(0, 16)

/** What belongs to the boot, not to the configuration. */
const passing: ReadonlySet<string> = new Set([
  actionsPath,
  '/proc/sys/kernel/random/boot_id',
  '/proc/cmdline',
  '/var/lib/machinist-sandbox/reboot',
])

/** A whole tree as text, one line per entry: kind, mode, owner, and content by digest. */
export async function treeAt(root: string): Promise<string[]> {
  const lines: string[] = []
  const walk = async (path: string): Promise<void> => {
    for (const name of (await readdir(join(root, path))).sort()) {
      const inside = path === '/' ? `/${name}` : `${path}/${name}`
      if (!passing.has(inside)) await note(inside)
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
