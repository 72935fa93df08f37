import type { ChildProcess } from 'node:child_process'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rmdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import type { Host } from '../../src/daemon/host/host.ts'
import { linuxHost } from '../../src/daemon/host/linux/linux-host.ts'
import { chrootInto, SystemRunner } from '../../src/daemon/host/linux/commands/system-runner.ts'

/** The tree that a machine boots from, determined at each boot as a boot loader would. */
export interface Boot {
  /** The lower tree of the machine's root; empty if the options set the root. */
  readonly lower: string
  readonly options: readonly string[]
  /** Uses the network of the machine below, to reach a server of the test. Otherwise it has no network. */
  readonly shared?: boolean
  /** Once it is up. */
  readonly afterwards?: (machine: Machine) => Promise<void>
}

const prefix = 'machinist-host-'
const checkout = join(import.meta.dirname, '../..')
/** How often a machine may reboot before its boot is complete. */
const maxBoots = 3
/** The exit code of nspawn when the machine requests a reboot. */
const wantsReboot = 133

/** A real, booted systemd in a container. It ends with the test in any case. */
export class Machine {
  readonly directory: string
  readonly #name: string
  readonly #processes: ChildProcesses
  readonly #boot: (directory: string) => Promise<Boot>
  #nspawn: ChildProcess | undefined
  #leader = 0
  #boots = 0

  private constructor(directory: string, boot: (directory: string) => Promise<Boot>) {
    this.directory = directory
    this.#name = basename(directory)
    this.#processes = new ChildProcesses(directory)
    this.#boot = boot
  }

  static async start(boot: (directory: string) => Promise<Boot>): Promise<Machine> {
    // Remove the control groups of machines whose test was killed.
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

  /** How often it was powered on. */
  get boots(): number {
    return this.#boots
  }

  /** The path of its root; different after each boot. */
  get root(): string {
    return `/proc/${this.#leader}/root`
  }

  /**
   * The driver under test, as in a container that has the machine's root mounted and shares its process ids. Otherwise systemd
   * would reject it.
   */
  host(): Host {
    const environment = { OSTREE_SYSROOT_DEBUG: 'mutable-deployments' }
    const ids = ['nsenter', '--target', String(this.#leader), '--pid', '--']
    const enter = [...ids, ...chrootInto(this.root)]
    const runner = new SystemRunner({ clock: systemClock, enter, environment })
    return linuxHost({ clock: systemClock, root: this.root, runner })
  }

  /** Runs a command inside. Returns its output, or rejects with what it printed. */
  run(program: string, ...args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const inside = ['--target', String(this.#leader), '--all', '--', program, ...args]
      execFile('nsenter', inside, { timeout: 60_000 }, (error, stdout, stderr) => {
        const why = stderr || stdout || error?.message
        if (error) reject(new Error(`${program} ${args.join(' ')}: ${why}`))
        else resolve(stdout.trim())
      })
    })
  }

  /** Waits until it goes down for a reboot, and boots it again. */
  async comesBack(): Promise<void> {
    const nspawn = this.#nspawn!
    if (nspawn.exitCode === null && nspawn.signalCode === null) await once(nspawn, 'exit')
    const code = nspawn.exitCode
    if (code !== wantsReboot) throw new Error(`the machine ended with ${code}:\n${this.log()}`)
    await this.#powerOn()
  }

  log(): string {
    return this.#processes.logTail('machine')
  }

  async stop(): Promise<void> {
    const exited = this.#nspawn?.exitCode === null ? once(this.#nspawn, 'exit') : undefined
    await this.#processes.stop()
    await exited
    await until('its control groups are empty', () => removeGroups(this.#name))
  }

  /** Boots, again if the machine reboots before its boot is complete. */
  async #powerOn(): Promise<void> {
    for (let attempt = 0; attempt < maxBoots; attempt++) {
      this.#boots++
      if (await this.#isUp()) return
    }
    throw new Error(`the machine reboots again and again:\n${this.log()}`)
  }

  /** Boots once. Returns false if the machine requests a reboot before its boot is complete. */
  async #isUp(): Promise<boolean> {
    const { lower, options, shared, afterwards } = await this.#boot(this.directory)
    const script = join(import.meta.dirname, 'boot-machine.sh')
    const environment = [`PATH=${process.env['PATH']}`, 'SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1']
    const node = [`--bind-ro=${process.execPath}:/opt/node`, `--bind-ro=${checkout}:/opt/machinist`]
    const network = shared ? [] : ['--private-network']
    // A PID namespace of its own: when its first process is killed, so are all.
    const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
    const boot = [script, this.#name, this.directory, lower, ...node, ...network, ...options]
    const words = ['-i', ...environment, 'unshare', ...apart, '--mount-proc', ...boot]
    this.#nspawn = this.#processes.start('machine', 'env', words)
    const nspawn = this.#nspawn
    let hasEnded = false
    await until('systemd is up', async () => {
      hasEnded = nspawn.exitCode === wantsReboot
      if (hasEnded) return true
      if (nspawn.exitCode !== null) throw new Error(`the machine does not boot:\n${this.log()}`)
      this.#leader = childOf(childOf(nspawn.pid!))
      if (this.#leader === 0) return false
      return this.run('systemctl', 'is-system-running', '--wait').then(
        () => true,
        (error: Error) => error.message.includes('degraded'),
      )
    }).catch(async (error: Error) => {
      const jobs = await this.run('systemctl', 'list-jobs', '--no-pager').catch(messageOf)
      const journal = await this.run('journalctl', '--no-pager', '--lines=60').catch(messageOf)
      throw new Error(`${error.message}\n${this.log()}\n${jobs}\n${journal}`)
    })
    if (hasEnded) return false
    await afterwards?.(this)
    return true
  }
}

/** In memory, if there is space: ostree syncs the whole disk, and so waits for all other writes. */
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

/** Returns 0 if there is none. */
export function childOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** Removes the empty groups with this prefix. Returns whether all are removed. */
async function removeGroups(begin: string): Promise<boolean> {
  let removed = true
  for (const groups of ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd']) {
    const names = await readdir(groups).catch(() => [])
    for (const name of names.filter((one) => one.startsWith(begin))) {
      removed = (await removeGroup(join(groups, name))) && removed
    }
  }
  return removed
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
