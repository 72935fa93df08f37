import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Decision } from './decision.ts'
import { drainStateOf, drainValue } from './drain-request.ts'
import type { Facts, NodeView } from './facts.ts'
import { waitingFor } from './policies-drain.ts'
import { attemptOf, currentOf, text } from './situation.ts'
import { isWithoutTurn } from './without-turn.ts'

export type Said = Omit<Decision, 'policy'>

type Policy = (facts: Facts) => Said | undefined

const degraded = (reason: string): Said => ({
  why: reason,
  next: { do: 'degrade' },
  report: { state: nodeStates.degraded, reason },
})

/** What has to be clear before anybody can speak of configs. */
export const machinePolicies = {
  /** The kubelet makes the Node; before that there is nowhere to report to. */
  'node exists': ({ node }) =>
    node ? undefined : { why: 'the Node object is not there', next: { do: 'wait' } },

  'node stays': ({ node }) =>
    node?.deleting ? { why: 'the Node is being deleted', next: { do: 'ignore' } } : undefined,

  'not going down': ({ rebooting }) =>
    rebooting ? { why: 'the machine is about to reboot', next: { do: 'ignore' } } : undefined,

  'state is readable': ({ disk: { problems } }) =>
    problems.length === 0
      ? undefined
      : degraded(
          `${problems.join('; ')}. Restore it, or remove it and touch ${nodePaths.force} to have everything written anew`,
        ),

  /** What failed is tried again after a while; the Node says why, and an event of its own does not make it sooner. */
  'backing off': (facts) => {
    const { failure, interrupted } = facts
    if (!failure || failure.attempt !== attemptOf(facts) || failure.retryInMs <= 0) return undefined
    // What failed is not wanted any more.
    if (!interrupted && isWithoutTurn(facts)) return undefined
    return {
      why: failure.reason,
      next: { do: 'wait', forMs: failure.retryInMs },
      report: { state: nodeStates.degraded, reason: failure.reason, ...fromDisk(facts) },
    }
  },

  /** An update that was cut short is brought to its end before anything else is thought of. */
  'nothing interrupted': ({ interrupted, node, waitedMs }) => {
    if (!interrupted || !node) return undefined
    const { plan } = interrupted.update
    const value = drainValue(plan.to)
    const goesDown = plan.drain && !interrupted.rollingBack && !interrupted.reboot?.happened
    const drain = drainStateOf(node)
    if (goesDown && drain.lastApplied !== value) {
      return drain.desired === value
        ? waitingFor(drain, waitedMs)
        : {
            why: `the interrupted update to ${plan.to} needs its drain again`,
            next: { do: 'requestDrain', value },
            report: { state: nodeStates.working },
          }
    }
    return {
      why: interrupted.rollingBack
        ? `the update to ${plan.to} is being undone`
        : `the update to ${plan.to} was interrupted`,
      next: { do: 'resume', interrupted },
      report: { state: nodeStates.working },
    }
  },

  'annotations are known': ({ node, disk }) => {
    if (!node || text(node, nodeAnnotations.currentConfig) !== undefined) return undefined
    if (disk.bootstrap) {
      return {
        why: 'the machine joins with what it was told at first boot',
        next: { do: 'adopt', annotations: disk.bootstrap },
      }
    }
    if (!disk.config) return undefined
    return {
      why: 'the Node does not say what its disk is in',
      next: { do: 'adopt', annotations: currentFromDisk(disk.config.metadata.name, disk.image) },
    }
  },

  'a config is desired': ({ node }) =>
    node && text(node, nodeAnnotations.desiredConfig) === undefined
      ? { why: 'nobody has given this node a config yet', next: { do: 'wait' } }
      : undefined,

  'current config is known': (facts) => {
    const { node } = facts
    if (!node || currentOf(facts, node) !== 'missing') return undefined
    return degraded(currentMissing(node, facts.disk.bootstrap !== undefined))
  },
} as const satisfies Readonly<Record<string, Policy>>

/** Where the Node names another config than the disk is in, after a restore of etcd. */
function fromDisk({ node, disk: { config, image, bootstrap }, interrupted }: Facts): {
  current?: NonNullable<Decision['report']>['current']
} {
  if (!node || !config || bootstrap || interrupted) return {}
  const { name } = config.metadata
  if (text(node, nodeAnnotations.currentConfig) === name) return {}
  return { current: { config: name, ...(image !== undefined && { image }) } }
}

function currentFromDisk(config: string, image: string | undefined): Record<string, string> {
  return {
    [nodeAnnotations.currentConfig]: config,
    ...(image !== undefined && { [nodeAnnotations.currentImage]: image }),
  }
}

function currentMissing(node: NodeView, joining: boolean): string {
  const name = text(node, nodeAnnotations.currentConfig)
  return joining
    ? `MachineConfig ${name}, which this machine was served at first boot, does not exist in the cluster, and ${nodePaths.served} does not hold it: the config changed while the machine was being installed`
    : `the current MachineConfig ${name} does not exist in the cluster, and the disk does not hold it either: restore it, or let the node join anew`
}
