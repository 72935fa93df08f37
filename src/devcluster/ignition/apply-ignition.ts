import type { Config, KernelArguments } from '@machinist/ignition/spec/config'
import type { HostOs } from '../../daemon/host/host.ts'
import type { SimulatedMachine } from '../../daemon/host/simulated/simulated-machine.ts'
import { createAccounts } from './accounts.ts'
import { createEntries } from './entries.ts'
import { createUnits } from './units.ts'

/** Written last, with mode 0600. */
const resultPath = '/etc/.ignition-result.json'

/**
 * Applies a config to a machine as Ignition does: kernel arguments, accounts, directories, files, links, units. Throws where Ignition
 * stops, and the machine would not boot. Omits disks and file systems, and cannot fetch content from URLs.
 */
export async function applyIgnition(machine: SimulatedMachine, config: Config): Promise<void> {
  if (await setKernelArguments(machine.os, config.kernelArguments)) await machine.boot()
  await createAccounts(machine, config)
  await createEntries(machine, config)
  await createUnits(machine, config)
  const provisioningBootID = await machine.power.bootId()
  const content = Buffer.from(
    `${JSON.stringify({ provisioningBootID, userConfigProvided: true })}\n`,
  )
  await machine.files.write(resultPath, { content, mode: 0o600, uid: 0, gid: 0 })
}

/** Returns whether the machine must boot again: Ignition does so before it writes any file. */
async function setKernelArguments(
  os: HostOs,
  { shouldExist = [], shouldNotExist = [] }: KernelArguments = {},
): Promise<boolean> {
  const { booted } = await os.state()
  const words = (list: readonly string[]): string[] => list.flatMap((each) => each.split(/\s+/))
  const unwanted = new Set(words(shouldNotExist))
  const kept = booted.kernelArguments.filter((argument) => !unwanted.has(argument))
  const added = words(shouldExist).filter((argument) => !kept.includes(argument))
  const kernelArguments = [...kept, ...added]
  if (kernelArguments.join(' ') === booted.kernelArguments.join(' ')) return false
  await os.stage({ ...booted, kernelArguments })
  return true
}
