import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { readConfig } from '../../planner/differences/read-config.ts'

/** Every path that a config specifies. */
export function watchedPaths(machineConfig: MachineConfig): string[] {
  const { ignition } = readConfig(machineConfig, 'new').config
  const paths = new Set((ignition.storage?.files ?? []).map(({ path }) => path))
  for (const { name, dropins = [] } of ignition.systemd?.units ?? []) {
    paths.add(unitPath(name))
    for (const dropin of dropins) paths.add(dropinPath(name, dropin.name))
  }
  return [...paths]
}
