import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@machinist/core/random'
import { ChildProcesses, end } from '@machinist/testing/processes/child-processes'
import { contentOn, extract, firstEntry, replayJournal } from './boot-loader.ts'
import { makeDaemonDisk } from './daemon-disk.ts'
import { serveDisk } from './disk-server.ts'
import { SerialShell } from './serial-shell.ts'
import { sectorBytes, VolatileDisk } from './volatile-disk.ts'

/** Far longer than an emulated machine takes on a busy system. */
const patienceMs = 420_000

/** A virtual machine with its own kernel and disk. It ends with the test in any case. */
export class VirtualMachine {
  readonly #directory: string
  readonly #processes: ChildProcesses
  readonly #disk: VolatileDisk
  readonly #server: Server
  readonly #shell: SerialShell
  #qemu: ChildProcess | undefined
  #boots = 0

  private constructor(directory: string, disk: VolatileDisk, server: Server) {
    this.#directory = directory
    this.#processes = new ChildProcesses(directory)
    this.#disk = disk
    this.#server = server
    this.#shell = new SerialShell(join(directory, 'shell'))
  }

  /** Creates a machine that is off, with a disk from `tools` and a daemon with this kubeconfig. */
  static async make(tools: string, kubeconfig: string): Promise<VirtualMachine> {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-vm-'))
    const image = join(directory, 'disk.img')
    execFileSync('cp', ['--sparse=always', join(tools, 'disk.img'), image])
    const disk = await VolatileDisk.open(image)
    const server = await serveDisk(disk, join(directory, 'disk'))
    const machine = new VirtualMachine(directory, disk, server)
    try {
      await makeDaemonDisk(directory, kubeconfig)
    } catch (error) {
      await machine.stop()
      throw error
    }
    return machine
  }

  /** Boots the entry of its boot loader. The machine is up when its shell answers. */
  async switchOn(): Promise<void> {
    await this.#disk.powerComes()
    const entry = await firstEntry(this.#at('disk.img'))
    await extract(this.#at('disk.img'), entry.linux, this.#at('kernel'))
    await extract(this.#at('disk.img'), entry.initrd, this.#at('initramfs'))
    this.#boots++
    const parts = [
      '-kernel kernel -initrd initramfs',
      '-drive file=nbd+unix:///?socket=disk,if=none,id=disk,format=raw,cache=writeback',
      `-device virtio-blk-pci,drive=disk,logical_block_size=${sectorBytes},physical_block_size=${sectorBytes}`,
      '-drive file=daemon.img,if=virtio,format=raw,readonly=on',
      `-serial file:console-${this.#boots}.log -serial unix:shell,server=on,wait=off`,
    ].flatMap((line) => line.split(' '))
    const words = [...hardware, ...parts, '-append', entry.options]
    const qemu = this.#processes.start('qemu', 'qemu-system-x86_64', words)
    this.#qemu = qemu
    await eventually(
      'the machine is up',
      async () => {
        if (isGone(qemu)) throw new Error(`the machine does not boot:\n${this.console()}`)
        return this.#shell.answers()
      },
      500,
    )
  }

  /** Runs a command inside. Returns its output. */
  run(command: string): Promise<string> {
    return this.#shell.run(command)
  }

  bootId(): Promise<string> {
    return this.run('cat /proc/sys/kernel/random/boot_id')
  }

  isDown(): boolean {
    return isGone(this.#qemu!)
  }

  /** Waits until the machine goes down for a reboot, and starts it again. */
  async comesBack(): Promise<void> {
    this.#shell.close()
    if (!this.console().includes('reboot: Restarting system')) {
      throw new Error(`the machine did not go down for a reboot:\n${this.console()}`)
    }
    await this.switchOn()
  }

  /** Cuts the power at this flush of its disk, counted from now. */
  async losesPowerAtFlush(flush: number, seed: number): Promise<void> {
    let isCut = false
    void this.#disk.cutAtFlush(flush, seededRandom(seed)).then(() => (isCut = true))
    await eventually('the power is cut', async () => isCut)
    this.#shell.close()
    await end(this.#qemu!, 'SIGKILL')
  }

  /** Files of the next deployment, read from the disk of a machine that is off. */
  async filesAtRest(paths: readonly string[]): Promise<(string | undefined)[]> {
    const { options } = await firstEntry(this.#at('disk.img'))
    const root = / ostree=(\S+)/.exec(options)?.[1]
    const copy = this.#at('copy.img')
    execFileSync('cp', ['--sparse=always', this.#at('disk.img'), copy])
    await replayJournal(copy)
    return Promise.all(paths.map((path) => contentOn(copy, `${root}${path}`)))
  }

  /** The end of its console output since it was started. */
  console(): string {
    const text = readFileSync(this.#at(`console-${this.#boots}.log`), 'latin1')
    return text.split('\n').slice(-40).join('\n')
  }

  async stop(): Promise<void> {
    this.#shell.close()
    await this.#processes.stop()
    this.#server.close()
    await this.#disk.close()
  }

  #at(name: string): string {
    return join(this.#directory, name)
  }
}

/** Fully emulated, so that it works without hardware support, and is the same everywhere. */
const hardware = [
  '-accel tcg,thread=multi -cpu qemu64 -machine q35 -m 512 -smp 2',
  '-nodefaults -no-user-config -display none',
  // It reaches the loopback of the test and, without a route, nothing else.
  '-netdev user,id=net -device virtio-net-pci,netdev=net,romfile=',
  // A reboot ends qemu: the test is the boot loader.
  '-no-reboot',
].flatMap((line) => line.split(' '))

const isGone = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** Waits for a condition on a machine. */
export async function eventually(
  what: string,
  condition: () => Promise<boolean>,
  everyMs = 100,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`)
    await pause(everyMs)
  }
}
