import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import {
  nodeAnnotations,
  ownNodeAnnotations,
  ownPoolAnnotations,
} from '../../../src/api/annotations.ts'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { MachineConfigPool } from '../../../src/api/kinds/resources.ts'
import {
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/kinds/resources.ts'
import type { Cluster } from '../cluster.ts'
import type { ConfigSettings } from '../settings.ts'
import { crioPath, settingsIn, specOf, settingsProblems } from '../settings.ts'
import type { SimulatedNode } from '../simulated-node.ts'
import { annotation, poolOf } from './budget.ts'

export interface EndState {
  readonly cluster: Cluster
  readonly nodes: ReadonlyMap<string, SimulatedNode>
  /** The settings that the users of a pool requested. */
  readonly desired: (pool: string) => ConfigSettings
}

/** Differences from the required end state; empty when the cluster is settled. */
export function unsettled({ cluster, nodes: machines, desired }: EndState): string[] {
  const all = cluster.list(nodes).filter(({ metadata }) => machines.has(metadata.name))
  const problems: string[] = []
  for (const pool of cluster.list(machineConfigPools)) {
    const { name } = pool.metadata
    const members = all.filter((node) => poolOf(node) === name)
    problems.push(...poolProblems(cluster, pool, members.length, desired(name)))
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
  desired: ConfigSettings,
): string[] {
  const { metadata, spec, status = {} } = pool
  const target = spec.configuration?.name ?? ''
  const rendered = cluster.get(machineConfigs, { name: target })
  const is = (type: string): string => conditionOf(status.conditions, type)?.status ?? 'absent'
  const record = metadata.annotations?.[ownPoolAnnotations.rollout] ?? ''
  const problems = [
    !rendered && `refers to ${target || 'nothing'}`,
    rendered &&
      !sameSettings(settingsIn(rendered), desired) &&
      `${target} differs from the requested settings`,
    status.configuration?.name !== target && `runs ${status.configuration?.name}, not ${target}`,
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
  const state = machine.state()
  const machineConfigNode = cluster.get(machineConfigNodes, { name })
  const updated = conditionOf(machineConfigNode?.status?.conditions, 'Updated')?.status
  const problems = [
    annotation(node, 'desiredConfig') !== target &&
      `has desired config ${annotation(node, 'desiredConfig')}, not ${target}`,
    annotation(node, 'currentConfig') !== target &&
      `runs ${annotation(node, 'currentConfig')}, not ${target}`,
    annotation(node, 'state') !== 'Done' &&
      `is ${annotation(node, 'state')}: ${annotation(node, 'reason')}`,
    annotation(node, 'reason') !== '' && `gives a reason: ${annotation(node, 'reason')}`,
    node.spec?.unschedulable && 'is cordoned',
    (node.spec?.taints ?? []).length > 0 && `is tainted: ${JSON.stringify(node.spec?.taints)}`,
    annotation(node, 'desiredDrain') !== annotation(node, 'lastAppliedDrain') &&
      `waits for ${annotation(node, 'desiredDrain')}`,
    annotation(node, 'desiredDrain').startsWith('drain') && 'is still drained',
    annotations[ownNodeAnnotations.drain] !== undefined && 'has a drain record left',
    annotations[nodeAnnotations.postConfigAction] && 'still announces a reboot',
    updated !== 'True' && `has a MachineConfigNode whose Updated is ${updated}`,
    state.loaded !== state.files.get(crioPath)?.content && `runs with an old ${crioPath}`,
    ...(rendered ? settingsProblems(state, settingsIn(rendered)) : []),
  ]
  return problems.flatMap((problem) => (problem ? [`node ${name} ${problem}`] : []))
}

const why = ({ status }: MachineConfigPool): string =>
  conditionOf(status?.conditions, 'Updating')?.message ?? ''

function sameSettings(a: ConfigSettings, b: ConfigSettings): boolean {
  const [first, second] = [a, b].map((settings) => {
    const files = new Map([...settings.files].sort(([x], [y]) => (x < y ? -1 : 1)))
    const { kernelArguments = [], ...rest } = { ...settings, files }
    return JSON.stringify([specOf(rest), [...kernelArguments].sort()])
  })
  return first === second
}
