import { nodeAnnotations, nodeStates } from '../../../api/annotations.ts'
import { nodePaths } from '../../../api/node-paths.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { osReasons } from '../../../planner/reconcilable/os-reasons.ts'
import { readOsPart } from '../../../planner/differences/read-config.ts'
import { isOsDifference } from '../../verify/difference.ts'
import { requestsDrain, drainValue, uncordonValue } from '../facts/drain-request.ts'
import { annotationOf } from '../../node/node-view.ts'
import type { NodeSituation } from '../facts/situation.ts'
import { reportDrift, healDrift, leavesUnbootedOs } from './drift-response.ts'
import type { CheckResult, StateReport } from './decision.ts'
import { bootedFacts, withImage, planOsUpdate, planUpdate } from './plan-update.ts'

type ConfigCheck = (situation: NodeSituation) => CheckResult | undefined

/** Checks on the way from the current to the desired config. */
export const configChecks = {
  'desired config is known': (situation) => {
    const { desiredName, inDesired, current, currentName } = situation
    if (inDesired || desiredOf(situation)) return undefined
    const stays = current ? `stays in ${currentName}` : 'stays as it is'
    const reason = `the desired MachineConfig ${desiredName} does not exist: it was deleted, or has not been rendered yet. The node ${stays} until ${desiredName} exists or the pool sets another config`
    return {
      why: reason,
      next: { action: 'degrade' },
      report: { state: nodeStates.degraded, reason },
    }
  },

  /** An administrator touches it to rewrite everything. On a healthy node it counts only when the daemon starts. */
  'force file': (situation) => {
    const { facts, inDesired, state, current, bootstrapping } = situation
    const { disk, drift, settled } = facts
    if (!disk.forced || !inDesired || !current || bootstrapping || drift === 'block')
      return undefined
    if (settled && state !== nodeStates.degraded && state !== nodeStates.unreconcilable)
      return undefined
    return updating(situation, current, `${nodePaths.force} exists: everything is rewritten`)
  },

  /** No update begins, and no node is Done, before its disk is compared with the config. */
  'disk is verified': (situation) => {
    const { facts, currentName, current, currentImage } = situation
    if (!current || skipsCheck(situation) || facts.checked?.config === currentName) return undefined
    return {
      why: `the disk must be compared with ${currentName}`,
      next: { action: 'verify', config: withImage(current, currentImage) },
    }
  },

  'policy is ready': ({ facts: { rules, checked }, inDesired }) =>
    rules.waitMs === undefined || (inDesired && !checked?.differences.length)
      ? undefined
      : {
          why: rules.note ?? 'the policy is not ready',
          next: { action: 'wait', forMs: rules.waitMs },
        },

  'new machine has its OS': (situation) => {
    const { bootstrapping, facts, current } = situation
    const { checked } = facts
    if (!bootstrapping || !current || !checked || checked.afterUpdate) return undefined
    if (checked.differences.length === 0 || !checked.differences.every(isOsDifference))
      return undefined
    const update = planOsUpdate(situation, current)
    if (!update.plan.reconcilable || update.plan.changes.length === 0) return undefined
    return {
      why: 'the machine was installed with another OS than its config specifies',
      next: { action: 'update', update, healing: false },
      report: { state: nodeStates.working },
    }
  },

  'disk matches its config': (situation) => {
    const { facts, current } = situation
    const { checked } = facts
    if (!current || !checked || skipsCheck(situation) || checked.differences.length === 0)
      return undefined
    if (leavesUnbootedOs(situation)) return undefined
    return (
      (facts.drift === 'heal' ? healDrift(situation, current) : undefined) ?? reportDrift(situation)
    )
  },

  /** A new machine has joined, or the stored config was removed. From here on, the config on disk counts. */
  'config is stored': ({ bootstrapping, current, currentImage: image, currentName, facts }) => {
    if (!current || (facts.disk.config && !bootstrapping)) return undefined
    return {
      why: bootstrapping ? 'the machine is in its served config' : `the disk is in ${currentName}`,
      next: { action: 'storeConfig', config: current, ...(image !== undefined && { image }) },
    }
  },

  /** Only after a requested drain. The drain controller decides whether a node that a user cordoned stays cordoned. */
  'node is uncordoned': ({ inDesired, drain, currentName }) => {
    if (!inDesired || !requestsDrain(drain)) return undefined
    return {
      why: `the node is in ${currentName} and can be uncordoned`,
      next: { action: 'complete', value: uncordonValue(currentName) },
    }
  },

  /** First boot, or a daemon that ignores the OS part, may have applied a config that this OS does not support. */
  'OS supports the config': ({ inDesired, current, currentImage, facts }) => {
    if (!inDesired || !current) return undefined
    const reasons = osReasons(readOsPart(withImage(current, currentImage)), {
      desired: current,
      facts: { ...facts.machine, ...bootedFacts(facts.machine.booted) },
      isLayered: currentImage !== undefined,
    })
    if (reasons.length === 0) return undefined
    const { name: config } = current.metadata
    const reason = `${config} is not in effect: ${reasons.join('; ')}`
    const image = currentImage !== undefined && { image: currentImage }
    return {
      why: reason,
      next: { action: 'unreconcilable' },
      report: { state: nodeStates.unreconcilable, reason, current: { config, ...image } },
    }
  },

  'node is in its config': ({ inDesired, currentName, currentImage }) => {
    if (!inDesired) return undefined
    const image = currentImage !== undefined && { image: currentImage }
    return {
      why: `the node is in ${currentName}`,
      next: { action: 'done' },
      report: {
        state: nodeStates.done,
        reason: '',
        current: { config: currentName, ...image },
      },
    }
  },

  'update is due': (situation) => {
    const { currentName, desiredName } = situation
    const desired = desiredOf(situation)
    return desired && updating(situation, desired, `from ${currentName} to ${desiredName}`)
  },
} as const satisfies Readonly<Record<string, ConfigCheck>>

function desiredOf({ facts, desiredName }: NodeSituation): MachineConfig | undefined {
  const known = facts.configs[desiredName]
  return known === 'missing' ? undefined : known
}

/** The force file allows an update whatever the disk contains. */
const skipsCheck = ({ facts, inDesired }: NodeSituation): boolean =>
  facts.disk.forced && !inDesired && facts.drift !== 'block'

function updating(situation: NodeSituation, desired: MachineConfig, why: string): CheckResult {
  const { drain, facts } = situation
  const update = planUpdate(situation, desired)
  const { plan } = update
  if (!plan.reconcilable) {
    const reason = `can't reconcile config ${plan.from} with ${plan.to}: ${plan.reasons.join('; ')}`
    return {
      why: reason,
      next: { action: 'unreconcilable' },
      report: { state: nodeStates.unreconcilable, reason, ...arrivedAt(situation) },
    }
  }
  const value = drainValue(plan.to)
  const report = { state: nodeStates.working, ...arrivedAt(situation) }
  if (plan.drain && drain.lastApplied !== value) {
    return {
      why: `${why}: the node must be drained first (${plan.drainRule})`,
      next: { action: 'requestDrain', value },
      report,
    }
  }
  const note = facts.rules.note === undefined ? '' : ` (${facts.rules.note})`
  return { why: `${why}${note}`, next: { action: 'update', update, healing: false }, report }
}

/** The next desiredConfig may arrive before the node has reported the last one as current. */
function arrivedAt({
  node,
  current,
  currentName,
  currentImage,
}: NodeSituation): Partial<StateReport> {
  if (!current || annotationOf(node, nodeAnnotations.currentConfig) === currentName) return {}
  const image = currentImage !== undefined && { image: currentImage }
  return { current: { config: currentName, ...image } }
}
