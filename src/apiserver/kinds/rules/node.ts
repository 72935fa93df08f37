import type { KindRules } from '../kind-rules.ts'
import { fill, section, specOf, statusOf } from './fields.ts'

const unknownInfo = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
]

const notReady = 'node.kubernetes.io/not-ready'

export const nodeRules: KindRules = {
  /** A node takes no pods until somebody has seen it ready. */
  begin(node) {
    const spec = specOf(node)
    const taints: unknown[] = Array.isArray(spec['taints']) ? spec['taints'] : []
    const known = taints.some((taint) => (taint as { key?: string }).key === notReady)
    if (!known) spec['taints'] = [...taints, { key: notReady, effect: 'NoSchedule' }]
  },
  complete(node) {
    specOf(node)
    const status = statusOf(node)
    section(section(status, 'daemonEndpoints'), 'kubeletEndpoint')['Port'] ??= 0
    fill(section(status, 'nodeInfo'), Object.fromEntries(unknownInfo.map((key) => [key, ''])))
  },
}
