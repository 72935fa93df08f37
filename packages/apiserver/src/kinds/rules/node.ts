import type { KindRules } from '../kind-rules.ts'
import { fill, items, section, specOf, statusOf, textOf, textsOf } from '../fields.ts'
import { nodeProblems } from './node-checks.ts'

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
  keepsStatusOnCreate: true,
  /** A new Node is not schedulable until it is ready. */
  prepareForCreate(node) {
    const spec = specOf(node)
    const taints = items(spec['taints'])
    const known = taints.some(({ key }) => key === notReady)
    if (!known) spec['taints'] = [...taints, { key: notReady, effect: 'NoSchedule' }]
  },
  complete(node) {
    const spec = specOf(node)
    if (spec['unschedulable'] === false) delete spec['unschedulable']
    completeRanges(spec)
    const status = statusOf(node)
    if (status['capacity'] !== undefined) fill(status, { allocatable: status['capacity'] })
    for (const condition of items(status['conditions'])) {
      fill(condition, { lastHeartbeatTime: null, lastTransitionTime: null })
    }
    section(section(status, 'daemonEndpoints'), 'kubeletEndpoint')['Port'] ??= 0
    fill(section(status, 'nodeInfo'), Object.fromEntries(unknownInfo.map((key) => [key, ''])))
  },
  validate: (node, before) => nodeProblems(node, before),
}

/** `podCIDR` is the deprecated name of the first `podCIDRs`, and takes precedence. */
function completeRanges(spec: Record<string, unknown>): void {
  const one = textOf(spec['podCIDR'])
  const all = textsOf(spec['podCIDRs'])
  const ranges = one !== '' && all[0] !== one ? [one] : all
  delete spec['podCIDR']
  delete spec['podCIDRs']
  if (ranges.length > 0) Object.assign(spec, { podCIDR: ranges[0], podCIDRs: ranges })
}
