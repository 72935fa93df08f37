import type { ChildProcess } from 'node:child_process'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rmdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import type { Host } from '../../src/daemon/host/host.ts'
import { linuxHost } from '../../src/daemon/host/linux/linux-host.ts'
import { chrootInto, SystemRunner } from '../../src/daemon/host/linux/system-runner.ts'
import { ChildProcesses } from '@machinist/testing/child-processes'
import { until } from '@machinist/testing/until'

/** What a machine is booted from: asked each time, as a boot loader would look. */
export interface Boot {
  /** The tree below the machine's own changes; empty if its root is given by the options. */
  readonly lower: string
  readonly options: readonly string[]
  /** The network of the machine below, for one that has to reach a server of the test; else it has none. */
  readonly shared?: boolean
  /** Once it is up. */
  readonly afterwards?: (machine: Machine) => Promise<void>
}

const prefix = 'machinist-host-'
const checkout = join(import.meta.dirname, '../..')
/** How nspawn ends when the machine inside asked for a reboot. */
const wantsReboot = 133

/** A real, booted systemd in a container. Whatever way the test ends, so does it. */
export class Machine {
  readonly directory: string
  readonly #name: string
  readonly #processes: ChildProcesses
  readonly #boot: (directory: string) => Promise<Boot>
  #nspawn: ChildProcess | undefined
  #leader = 0

  private constructor(directory: string, boot: (directory: string) => Promise<Boot>) {
    this.directory = directory
    this.#name = basename(directory)
    this.#processes = new ChildProcesses(directory)
    this.#boot = boot
  }

  static async start(boot: (directory: string) => Promise<Boot>): Promise<Machine> {
    // Of machines whose test was killed: nobody else could remove them.
    await removeGroups(prefix)
    const directory = await mkdtemp(join(await scratch(), prefix))
    const machine = new Machine(directory, boot)
    try {
      await machine.#powerOn()
    } catch (error) {
      await machine.stop()
      throw error
    }
    return machine
  }

  /** Where its root is for us; another place after each boot. */
  get root(): string {
    return `/proc/${this.#leader}/root`
  }

  /**
   * The driver under test, as in a container that has the machine's root mounted and shares its process ids: else systemd
   * would not talk to it.
   */
  host(): Host {
    const environment = { OSTREE_SYSROOT_DEBUG: 'mutable-deployments' }
    const ids = ['nsenter', '--target', String(this.#leader), '--pid', '--']
    const enter = [...ids, ...chrootInto(this.root)]
    const runner = new SystemRunner({ clock: systemClock, enter, environment })
    return linuxHost({ clock: systemClock, root: this.root, runner })
  }

  /** Runs a command inside; what it wrote, or its complaint. */
  run(program: string, ...args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const inside = ['--target', String(this.#leader), '--all', '--', program, ...args]
      execFile('nsenter', inside, { timeout: 60_000 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${program} ${args.join(' ')}: ${stderr || error.message}`))
        else resolve(stdout.trim())
      })
    })
  }

  /** Waits until it goes down by itself, and boots it again. */
  async comesBack(): Promise<void> {
    const nspawn = this.#nspawn!
    if (nspawn.exitCode === null && nspawn.signalCode === null) await once(nspawn, 'exit')
    const code = nspawn.exitCode
    if (code !== wantsReboot) throw new Error(`it went down with ${code}:\n${this.log()}`)
    await this.#powerOn()
  }

  log(): string {
    return this.#processes.logTail('machine')
  }

  async stop(): Promise<void> {
    const gone = this.#nspawn?.exitCode === null ? once(this.#nspawn, 'exit') : undefined
    await this.#processes.stop()
    await gone
    await until('its control groups are empty', () => removeGroups(this.#name))
  }

  async #powerOn(): Promise<void> {
    const { lower, options, shared, afterwards } = await this.#boot(this.directory)
    const script = join(import.meta.dirname, 'boot-machine.sh')
    const environment = [`PATH=${process.env['PATH']}`, 'SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1']
    const node = [`--bind-ro=${process.execPath}:/opt/node`, `--bind-ro=${checkout}:/opt/machinist`]
    const network = shared ? [] : ['--private-network']
    // Process ids of its own: when the first of them is killed, so are all.
    const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
    const boot = [script, this.#name, this.directory, lower, ...node, ...network, ...options]
    const words = ['-i', ...environment, 'unshare', ...apart, '--mount-proc', ...boot]
    this.#nspawn = this.#processes.start('machine', 'env', words)
    const nspawn = this.#nspawn
    await until('systemd is up', async () => {
      if (nspawn.exitCode !== null) throw new Error(`it does not boot:\n${this.log()}`)
      this.#leader = childOf(childOf(nspawn.pid!))
      if (this.#leader === 0) return false
      return this.run('systemctl', 'is-system-running', '--wait').then(
        () => true,
        (error: Error) => error.message.includes('degraded'),
      )
    })
    await afterwards?.(this)
  }
}

/** In memory, if there is room: ostree waits for the whole disk, and so for everything else that is written to it. */
async function scratch(): Promise<string> {
  const memory = '/dev/shm'
  const space = await statfs(memory).catch(() => undefined)
  const mounts = await readFile('/proc/mounts', 'utf8')
  const usable = mounts.split('\n').some((line) => {
    const [, place, type, options] = line.split(' ')
    return place === memory && type === 'tmpfs' && !options?.split(',').includes('noexec')
  })
  const room = space ? space.bavail * space.bsize : 0
  return usable && room > 2 ** 30 ? memory : tmpdir()
}

/** 0 if there is none. */
export function childOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** Those whose name begins so and that nothing runs in; tells whether all are gone. */
async function removeGroups(begin: string): Promise<boolean> {
  let gone = true
  for (const groups of ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd']) {
    const names = await readdir(groups).catch(() => [])
    for (const name of names.filter((one) => one.startsWith(begin))) {
      gone = (await removeGroup(join(groups, name))) && gone
    }
  }
  return gone
}

async function removeGroup(directory: string): Promise<boolean> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (entry.isDirectory()) await removeGroup(join(directory, entry.name))
  }
  return rmdir(directory).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}
