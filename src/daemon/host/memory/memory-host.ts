import type { MachineAction } from '../simulated/machine-action.ts'
import type { MachineOptions } from '../simulated/machine-seed.ts'
import { machineSeed } from '../simulated/machine-seed.ts'
import { SimulatedMachine } from '../simulated/simulated-machine.ts'
import { PlainUnitLinks } from '../simulated/unit-links.ts'
import { MemoryFiles } from './memory-files.ts'

export interface MemoryHostOptions extends MachineOptions {
  /** Machines of different names have different boot ids. */
  readonly name?: string
}

/** A whole machine in memory: small and quick, for simulations with hundreds of them and for tests. */
export class MemoryHost extends SimulatedMachine<MemoryFiles> {
  /** What was asked of its services and of itself, in order. */
  readonly actions: MachineAction[]

  constructor({ name = 'memory', ...options }: MemoryHostOptions = {}) {
    const files = new MemoryFiles()
    const actions: MachineAction[] = []
    super({
      files,
      links: new PlainUnitLinks(files),
      note: async (action) => void actions.push(action),
      restarts: async (unit) =>
        actions.filter((each) => each.do === 'restart' && each.unit === unit).length,
      salt: () => name,
      architecture: options.os?.architecture ?? 'x86_64',
    })
    this.actions = actions
    const { directories, files: contents } = machineSeed(options, name)
    for (const [path, directory] of directories) {
      files.plant(path, { type: 'directory', ...directory })
    }
    for (const [path, file] of contents) files.plant(path, file)
  }
}
