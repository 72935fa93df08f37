import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const gib = 2 ** 30
const system = (used: number): SeriesValues => ({
  'container_memory_rss{id="/system.slice"}': used * gib,
  'container_memory_rss{id="/kubepods.slice"}': 50 * gib,
  'kube_node_status_capacity{resource="memory"}': 16 * gib,
  'kube_node_status_allocatable{resource="memory"}': 15 * gib,
})
/** Nodes of 10 GiB with this much available memory. */
const left = (role: string, ...available: readonly number[]): SeriesValues =>
  Object.fromEntries(
    available.flatMap((each, i) => {
      const node = `${role}-${i}`
      return [
        [`kube_node_role{role="${role}",node="${node}"}`, 1],
        [`node_memory_MemAvailable_bytes{instance="${node}"}`, each * gib],
        [`node_memory_MemTotal_bytes{instance="${node}"}`, 10 * gib],
      ]
    }),
  )
const overall = 'HighOverallControlPlaneMemory warning'
const individual = 'ExtremelyHighIndividualControlPlaneMemory critical'

export const nodeCases: RuleCases = {
  file: 'node',
  alerts: ['SystemMemoryExceedsReservation warning', overall, individual],
  names: ['node'],
  cases: {
    'services within what is reserved': [system(0.94)],
    'services beyond what is reserved': [system(0.96), 'SystemMemoryExceedsReservation warning'],
  },
  alone: {
    'a control plane with room for one to be away': [left('master', 4, 4, 4.5)],
    'a control plane without': [left('control-plane', 4, 4, 3.5), overall],
    'one that is nearly full': [left('master', 9, 9, 0.9), individual],
    'one with a little left': [left('master', 9, 9, 1.1)],
    'workers that are full': [{ ...left('worker', 0.5, 0.5), ...left('master', 9) }],
  },
  whenSilent: [],
}
