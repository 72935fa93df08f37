import { describe, expect, it } from 'vitest'
import { MemoryFiles } from '../../memory/memory-files.ts'
import type { Command, CommandResult } from '../commands/runner.ts'
import { SimulatedRunner } from './rpm-ostree-simulator.fixture.ts'
import { LinuxOs } from './linux-os.ts'

/** A machine that ran v1 before it booted v2, with a package of an administrator. */
class Tools extends SimulatedRunner {
  readonly programs: string[] = []

  constructor() {
    const deployment = { kernelArguments: ['rw'], packages: ['vim', 'usbguard'], removed: [] }
    const [v2, v1] = ['quay.io/os/v2', 'quay.io/os/v1']
    super({
      deployments: [
        { image: v2, ...deployment, booted: true },
        { image: v1, ...deployment },
      ],
    })
  }

  override run(command: Command): Promise<CommandResult> {
    this.programs.push(command.program)
    if (command.program !== 'journalctl') return super.run(command)
    return Promise.resolve({ code: 0, output: 'error: no room\n', errorLine: '' })
  }
}

async function machine(...there: readonly string[]): Promise<[LinuxOs, Tools]> {
  const files = new MemoryFiles()
  const directory = { mode: 0o755, uid: 0, gid: 0 }
  for (const path of ['/run', '/usr', '/usr/bin', '/proc']) {
    await files.makeDirectory(path, directory)
  }
  for (const path of [...there, '/proc/cmdline']) {
    await files.write(path, { content: Buffer.from(''), mode: 0o755, uid: 0, gid: 0 })
  }
  const tools = new Tools()
  return [new LinuxOs(files, tools), tools]
}

describe('the boot report', () => {
  it('comes from the tools of the OS', async () => {
    const [os, tools] = await machine('/run/ostree-booted', '/usr/bin/rpm-ostree')
    expect(await os.bootReport()).toEqual({
      finalizationFailure: 'error: no room',
      foreignPackages: ['vim'],
    })
    await os.dropRollback()
    expect(tools.ran).toEqual(['cleanup --rollback'])
  })

  it('is empty for a package based OS', async () => {
    const [os, tools] = await machine()
    expect(await os.bootReport()).toEqual({ foreignPackages: [] })
    await os.dropRollback()
    expect(tools.programs).toEqual([])
  })
})
