import { configMaps } from './config-map-sequences.ts'
import { configs, pools } from './custom-sequences.ts'
import { nodes } from './node-sequences.ts'
import type { Request, Sequence } from './sequence.ts'
import { deployments, others, pods } from './workload-sequences.ts'

/** Requests for a real server, to compare with. */
export const sequences: readonly Sequence[] = [
  ...of('ConfigMap', configMaps),
  ...of('Node', nodes),
  ...of('Pod', pods),
  ...of('Deployment', deployments),
  ...of('MachineConfigPool', pools),
  ...of('MachineConfig', configs),
  ...others.map(([kind, name, ...steps]) => ({ kind, name, steps })),
]

function of(kind: string, all: readonly (readonly [string, ...Request[]])[]): Sequence[] {
  return all.map(([name, ...steps]) => ({ kind, name, steps }))
}
