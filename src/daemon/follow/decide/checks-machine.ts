import { nodeAnnotations, nodeStates } from '../../../api/annotations.ts'
import { nodePaths } from '../../../api/node-paths.ts'
import type { NodeView } from '../../node/node-view.ts'
import { annotationOf } from '../../node/node-view.ts'
import { drainStateOf, drainValue } from '../facts/drain-request.ts'
import type { FollowFacts } from '../facts/facts.ts'
import { attemptOf, currentConfigOf } from '../facts/situation.ts'
import { isWithoutTurn } from '../facts/without-turn.ts'
import { waitForDrain } from './checks-drain.ts'
import type { CheckResult, FollowDecision } from './decision.ts'

type MachineCheck = (facts: FollowFacts) => CheckResult | undefined

const degraded = (reason: string): CheckResult => ({
  why: reason,
  next: { action: 'degrade' },
  report: { state: nodeStates.degraded, reason },
})

/** Checks that come before any config is compared. */
export const machineChecks = {
  /** The kubelet creates the Node. Without it, the daemon cannot report anything. */
  'node exists': ({ node }) =>
    node ? undefined : { why: 'the Node does not exist', next: { action: 'wait' } },

  'node is not being deleted': ({ node }) =>
    node?.deleting ? { why: 'the Node is being deleted', next: { action: 'ignore' } } : undefined,

  'machine is not rebooting': ({ rebooting }) =>
    rebooting ? { why: 'the machine is about to reboot', next: { action: 'ignore' } } : undefined,

  'state is readable': ({ disk: { problems } }) =>
    problems.length === 0
      ? undefined
      : degraded(
          `${problems.join('; ')}. Restore it, or remove it and touch ${nodePaths.force} to rewrite everything`,
        ),

  /** A failed attempt is retried after a delay. The daemon's own writes to the Node do not shorten the delay. */
  'backing off': (facts) => {
    const { failure, interrupted } = facts
    if (!failure || failure.attempt !== attemptOf(facts) || failure.retryInMs <= 0) return undefined
    // The failed update is no longer desired.
    if (!interrupted && isWithoutTurn(facts)) return undefined
    return {
      why: failure.reason,
      next: { action: 'wait', forMs: failure.retryInMs },
      report: { state: nodeStates.degraded, reason: failure.reason, ...fromDisk(facts) },
    }
  },

  /** An interrupted update is finished before anything else is decided. */
  'no update is interrupted': ({ interrupted, node, waitedMs }) => {
    if (!interrupted || !node) return undefined
    const { plan } = interrupted.update
    const value = drainValue(plan.to)
    const needsDrain = plan.drain && !interrupted.rollingBack && !interrupted.reboot?.happened
    const drain = drainStateOf(node)
    if (needsDrain && drain.lastApplied !== value) {
      return drain.desired === value
        ? waitForDrain(drain, waitedMs)
        : {
            why: `the interrupted update to ${plan.to} needs a drain again`,
            next: { action: 'requestDrain', value },
            report: { state: nodeStates.working },
          }
    }
    return {
      why: interrupted.rollingBack
        ? `the update to ${plan.to} is being rolled back`
        : `the update to ${plan.to} was interrupted`,
      next: { action: 'resume', interrupted },
      report: { state: nodeStates.working },
    }
  },

  'annotations are known': ({ node, disk }) => {
    if (!node || annotationOf(node, nodeAnnotations.currentConfig) !== undefined) return undefined
    if (disk.bootstrap) {
      return {
        why: 'the machine joins with the annotations from first boot',
        // Not Done before its disk is verified: a pool may have no other node that proves its config.
        next: {
          action: 'adopt',
          annotations: { ...disk.bootstrap, [nodeAnnotations.state]: nodeStates.working },
        },
      }
    }
    if (!disk.config) return undefined
    return {
      why: 'the Node has no currentConfig annotation',
      next: {
        action: 'adopt',
        annotations: currentFromDisk(disk.config.metadata.name, disk.image),
      },
    }
  },

  'a config is desired': ({ node }) =>
    node && annotationOf(node, nodeAnnotations.desiredConfig) === undefined
      ? { why: 'the Node has no desiredConfig annotation yet', next: { action: 'wait' } }
      : undefined,

  'current config is known': (facts) => {
    const { node } = facts
    if (!node || currentConfigOf(facts, node) !== 'missing') return undefined
    return degraded(currentMissing(node, facts.disk.bootstrap !== undefined))
  },
} as const satisfies Readonly<Record<string, MachineCheck>>

/** After a restore of etcd, the Node may name another config than the one on disk. */
function fromDisk({ node, disk: { config, image, bootstrap }, interrupted }: FollowFacts): {
  current?: NonNullable<FollowDecision['report']>['current']
} {
  if (!node || !config || bootstrap || interrupted) return {}
  const { name } = config.metadata
  if (annotationOf(node, nodeAnnotations.currentConfig) === name) return {}
  return { current: { config: name, ...(image !== undefined && { image }) } }
}

function currentFromDisk(config: string, image: string | undefined): Record<string, string> {
  return {
    [nodeAnnotations.currentConfig]: config,
    ...(image !== undefined && { [nodeAnnotations.currentImage]: image }),
  }
}

function currentMissing(node: NodeView, joining: boolean): string {
  const name = annotationOf(node, nodeAnnotations.currentConfig)
  return joining
    ? `MachineConfig ${name}, which this machine was served at first boot, does not exist in the cluster, and ${nodePaths.served} does not contain it: the config changed while the machine was being installed`
    : `the current MachineConfig ${name} does not exist in the cluster, and the disk does not contain it either: restore it, or let the node join again`
}
