import {
  nodeAnnotations,
  ownNodeAnnotations,
  ownPoolAnnotations,
} from '../../../src/api/annotations.ts'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { MachineConfigPool } from '../../../src/api/resources.ts'
import {
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/resources.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { Cluster } from '../cluster.ts'
import type { Settings } from '../settings.ts'
import { crioPath, settingsIn, specOf, unlike } from '../settings.ts'
import type { SimulatedNode } from '../simulated-node.ts'
import { poolOf, said } from './budget.ts'

export interface EndState {
  readonly cluster: Cluster
  readonly nodes: ReadonlyMap<string, SimulatedNode>
  /** What the users of a pool asked for. */
  readonly wanted: (pool: string) => Settings
}

/** What is not yet as it must be once everybody has come to rest; nothing when all is. */
export function unsettled({ cluster, nodes: machines, wanted }: EndState): string[] {
  const all = cluster.list(nodes).filter(({ metadata }) => machines.has(metadata.name))
  const problems: string[] = []
  for (const pool of cluster.list(machineConfigPools)) {
    const { name } = pool.metadata
    const members = all.filter((node) => poolOf(node) === name)
    problems.push(...poolProblems(cluster, pool, members.length, wanted(name)))
    for (const node of members) {
      const machine = machines.get(node.metadata.name)!
      problems.push(...nodeProblems(cluster, node, pool, machine))
    }
  }
  return problems
}

function poolProblems(
  cluster: Cluster,
  pool: MachineConfigPool,
  size: number,
  wanted: Settings,
): string[] {
  const { metadata, spec, status = {} } = pool
  const target = spec.configuration?.name ?? ''
  const rendered = cluster.get(machineConfigs, { name: target })
  const is = (type: string): string => conditionOf(status.conditions, type)?.status ?? 'absent'
  const record = metadata.annotations?.[ownPoolAnnotations.rollout] ?? ''
  const problems = [
    !rendered && `points at ${target || 'nothing'}`,
    rendered &&
      !sameSettings(settingsIn(rendered), wanted) &&
      `${target} is not what users asked for`,
    status.configuration?.name !== target && `is in ${status.configuration?.name}, not ${target}`,
    is('Updated') !== 'True' && `Updated is ${is('Updated')}`,
    is('Updating') !== 'False' && `Updating is ${is('Updating')}: ${why(pool)}`,
    is('Degraded') !== 'False' && `Degraded is ${is('Degraded')}`,
    is('RenderDegraded') !== 'False' && `RenderDegraded is ${is('RenderDegraded')}`,
    status.observedGeneration !== metadata.generation && 'its status is of an older generation',
    [status.machineCount, status.updatedMachineCount, status.readyMachineCount].some(
      (count) => count !== size,
    ) && `counts ${JSON.stringify(status)} of ${size} nodes`,
    status.unavailableMachineCount !== 0 && `${status.unavailableMachineCount} are unavailable`,
    status.degradedMachineCount !== 0 && `${status.degradedMachineCount} are degraded`,
    /"turns":\{"/.test(record) && `has open turns ${record}`,
  ]
  return problems.flatMap((problem) => (problem ? [`pool ${metadata.name} ${problem}`] : []))
}

function nodeProblems(
  cluster: Cluster,
  node: Node,
  pool: MachineConfigPool,
  { machine }: SimulatedNode,
): string[] {
  const { name, annotations = {} } = node.metadata
  const target = pool.spec.configuration?.name ?? ''
  const rendered = cluster.get(machineConfigs, { name: target })
  const says = machine.says()
  const told = cluster.get(machineConfigNodes, { name })
  const updated = conditionOf(told?.status?.conditions, 'Updated')?.status
  const problems = [
    said(node, 'desiredConfig') !== target &&
      `is told ${said(node, 'desiredConfig')}, not ${target}`,
    said(node, 'currentConfig') !== target && `is in ${said(node, 'currentConfig')}, not ${target}`,
    said(node, 'state') !== 'Done' && `is ${said(node, 'state')}: ${said(node, 'reason')}`,
    said(node, 'reason') !== '' && `gives a reason: ${said(node, 'reason')}`,
    node.spec?.unschedulable && 'is cordoned',
    (node.spec?.taints ?? []).length > 0 && `is tainted: ${JSON.stringify(node.spec?.taints)}`,
    said(node, 'desiredDrain') !== said(node, 'lastAppliedDrain') &&
      `waits for ${said(node, 'desiredDrain')}`,
    said(node, 'desiredDrain').startsWith('drain') && 'is still drained',
    annotations[ownNodeAnnotations.drain] !== undefined && 'has a drain record left',
    annotations[nodeAnnotations.postConfigAction] && 'still says that it reboots',
    updated !== 'True' && `has a MachineConfigNode whose Updated is ${updated}`,
    says.loaded !== says.files.get(crioPath)?.content && `runs with an old ${crioPath}`,
    ...(rendered ? unlike(says, settingsIn(rendered)) : []),
  ]
  return problems.flatMap((problem) => (problem ? [`node ${name} ${problem}`] : []))
}

const why = ({ status }: MachineConfigPool): string =>
  conditionOf(status?.conditions, 'Updating')?.message ?? ''

function sameSettings(a: Settings, b: Settings): boolean {
  const [first, second] = [a, b].map((settings) => {
    const files = new Map([...settings.files].sort(([x], [y]) => (x < y ? -1 : 1)))
    const { kernelArguments = [], ...rest } = { ...settings, files }
    return JSON.stringify([specOf(rest), [...kernelArguments].sort()])
  })
  return first === second
}
