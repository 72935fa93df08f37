import type { MachineAction } from '../simulated/machine-action.ts'
import type { MachineOptions } from '../simulated/machine-seed.ts'
import { machineSeed } from '../simulated/machine-seed.ts'
import { SimulatedMachine } from '../simulated/simulated-machine.ts'
import { PlainUnitLinks } from '../simulated/unit-links.ts'
import { MemoryFiles } from './memory-files.ts'

export interface MemoryHostOptions extends MachineOptions {
  /** Machines with different names have different boot ids. */
  readonly name?: string
}

/** A machine in memory: small and fast, for tests and for simulations with hundreds of machines. */
export class MemoryHost extends SimulatedMachine<MemoryFiles> {
  /** The actions that were requested of its services and of itself, in order. */
  readonly actions: MachineAction[]

  constructor({ name = 'memory', ...options }: MemoryHostOptions = {}) {
    const files = new MemoryFiles()
    const actions: MachineAction[] = []
    super({
      files,
      links: new PlainUnitLinks(files),
      record: async (action) => void actions.push(action),
      restarts: async (unit) =>
        actions.filter((each) => each.type === 'restart' && each.unit === unit).length,
      salt: () => name,
      architecture: options.os?.architecture ?? 'x86_64',
    })
    this.actions = actions
    const { directories, files: contents } = machineSeed(options, name)
    for (const [path, directory] of directories) {
      files.seed(path, { type: 'directory', ...directory })
    }
    for (const [path, file] of contents) files.seed(path, file)
  }
}
