import type { Host } from '../../../src/daemon/host/host.ts'
import type { OsDriverName } from '../../../src/planner/os-capabilities.ts'
import { osCapabilities } from '../../../src/planner/os-capabilities.ts'

/** The same machine with another driver for its OS. Whoever stages something that it cannot change fails the test. */
export function withDriver(host: Host, driver: OsDriverName): Host {
  const { files, units, accounts, os, power, images } = host
  return {
    files,
    units,
    accounts,
    power,
    images,
    os: {
      facts: async () => ({ ...(await os.facts()), changes: osCapabilities[driver] }),
      state: () => os.state(),
      stage: async () => {
        throw new Error(`${driver} was asked to change the OS`)
      },
      bootReport: () => os.bootReport(),
      dropRollback: () => os.dropRollback(),
    },
  }
}
