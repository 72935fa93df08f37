import type { Host } from '../../../src/daemon/host/host.ts'
import type { OsDriverName } from '../../../src/planner/model/os-capabilities.ts'
import { osCapabilities } from '../../../src/planner/model/os-capabilities.ts'

/** The same machine with another OS driver. Staging a change that the driver does not support fails the test. */
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
        throw new Error(`${driver} cannot change the OS`)
      },
      bootReport: () => os.bootReport(),
      dropRollback: () => os.dropRollback(),
    },
  }
}
