import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { osReasons } from '../../planner/os-reasons.ts'
import { readOsPart } from '../../planner/read-config.ts'
import { isOfOs } from '../verify/difference.ts'
import { drifted, healing, leavesWhatDidNotBoot } from './drifted.ts'
import { asksForDrain, drainValue, uncordonValue } from './drain-request.ts'
import type { StateReport } from './decision.ts'
import type { Said } from './policies-machine.ts'
import type { Situation } from './situation.ts'
import { text } from './situation.ts'
import { bootedFacts, layered, pivotTo, updateTo } from './update-to.ts'

type Policy = (situation: Situation) => Said | undefined

/** From what the machine is in to what it shall be in. */
export const configPolicies = {
  'desired config is known': (situation) => {
    const { desiredName, inDesired, current, currentName } = situation
    if (inDesired || desiredOf(situation)) return undefined
    const stays = current ? `stays in ${currentName}` : 'stays as it is'
    const reason = `the desired MachineConfig ${desiredName} does not exist: it was deleted, or has not been rendered yet. The node ${stays}; as soon as ${desiredName} is there, or the pool names another one, it goes on`
    return { why: reason, next: { do: 'degrade' }, report: { state: nodeStates.degraded, reason } }
  },

  /** Touched by an administrator: everything is written anew. On a healthy node it only counts at the daemon's start. */
  'force file': (situation) => {
    const { facts, inDesired, state, current, bootstrapping } = situation
    const { disk, drift, settled } = facts
    if (!disk.forced || !inDesired || !current || bootstrapping || drift === 'block')
      return undefined
    if (settled && state !== nodeStates.degraded && state !== nodeStates.unreconcilable)
      return undefined
    return updating(situation, current, `${nodePaths.force} is there: everything is written anew`)
  },

  /** Nothing is begun, and nothing is called done, on a disk that nobody has looked at. */
  'disk is looked at': (situation) => {
    const { facts, currentName, current, currentImage } = situation
    if (!current || skipsCheck(situation) || facts.checked?.config === currentName) return undefined
    return {
      why: `the disk has to be compared with ${currentName}`,
      next: { do: 'verify', config: layered(current, currentImage) },
    }
  },

  'policy is ready': ({ facts: { rules, checked }, inDesired }) =>
    rules.waitMs === undefined || (inDesired && !checked?.differences.length)
      ? undefined
      : { why: rules.note ?? 'the policy is not ready', next: { do: 'wait', forMs: rules.waitMs } },

  'new machine has its OS': (situation) => {
    const { bootstrapping, facts, current } = situation
    const { checked } = facts
    if (!bootstrapping || !current || !checked || checked.afterUpdate) return undefined
    if (checked.differences.length === 0 || !checked.differences.every(isOfOs)) return undefined
    const update = pivotTo(situation, current)
    if (!update.plan.reconcilable || update.plan.changes.length === 0) return undefined
    return {
      why: 'the machine was installed with another OS than its config wants',
      next: { do: 'update', update, healing: false },
      report: { state: nodeStates.working },
    }
  },

  'disk is as it should be': (situation) => {
    const { facts, current } = situation
    const { checked } = facts
    if (!current || !checked || skipsCheck(situation) || checked.differences.length === 0)
      return undefined
    if (leavesWhatDidNotBoot(situation)) return undefined
    return (facts.drift === 'heal' ? healing(situation, current) : undefined) ?? drifted(situation)
  },

  /** A new machine has joined; or somebody removed the file. From here on the disk knows best. */
  'config is stored': ({ bootstrapping, current, currentImage: image, currentName, facts }) => {
    if (!current || (facts.disk.config && !bootstrapping)) return undefined
    return {
      why: bootstrapping ? 'the machine is as it was served' : `the disk is in ${currentName}`,
      next: { do: 'storeConfig', config: current, ...(image !== undefined && { image }) },
    }
  },

  /** Only after a drain of ours. Whether a node that somebody else had cordoned stays so is for the drain controller. */
  'node is uncordoned': ({ inDesired, drain, currentName }) => {
    if (!inDesired || !asksForDrain(drain)) return undefined
    return {
      why: `the node is in ${currentName}, pods may come back`,
      next: { do: 'complete', value: uncordonValue(currentName) },
    }
  },

  /** The config may have come from first boot, or from a daemon that applied it without its OS part. */
  'machine has what its config asks of the OS': ({ inDesired, current, currentImage, facts }) => {
    if (!inDesired || !current) return undefined
    const reasons = osReasons(readOsPart(layered(current, currentImage)), {
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
      next: { do: 'unreconcilable' },
      report: { state: nodeStates.unreconcilable, reason, current: { config, ...image } },
    }
  },

  'node is in its config': ({ inDesired, currentName, currentImage }) => {
    if (!inDesired) return undefined
    const image = currentImage !== undefined && { image: currentImage }
    return {
      why: `the node is in ${currentName}`,
      next: { do: 'done' },
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
} as const satisfies Readonly<Record<string, Policy>>

function desiredOf({ facts, desiredName }: Situation): MachineConfig | undefined {
  const known = facts.configs[desiredName]
  return known === 'missing' ? undefined : known
}

/** The force file stands for "whatever the disk looks like". */
const skipsCheck = ({ facts, inDesired }: Situation): boolean =>
  facts.disk.forced && !inDesired && facts.drift !== 'block'

function updating(situation: Situation, desired: MachineConfig, why: string): Said {
  const { drain, facts } = situation
  const update = updateTo(situation, desired)
  const { plan } = update
  if (!plan.reconcilable) {
    const reason = `can't reconcile config ${plan.from} with ${plan.to}: ${plan.reasons.join('; ')}`
    return {
      why: reason,
      next: { do: 'unreconcilable' },
      report: { state: nodeStates.unreconcilable, reason, ...arrivedAt(situation) },
    }
  }
  const value = drainValue(plan.to)
  const report = { state: nodeStates.working, ...arrivedAt(situation) }
  if (plan.drain && drain.lastApplied !== value) {
    return {
      why: `${why}: pods have to leave first (${plan.drainRule})`,
      next: { do: 'requestDrain', value },
      report,
    }
  }
  const note = facts.rules.note === undefined ? '' : ` (${facts.rules.note})`
  return { why: `${why}${note}`, next: { do: 'update', update, healing: false }, report }
}

/** A node that was told the next config before it could say that it is in the last one says so now. */
function arrivedAt({ node, current, currentName, currentImage }: Situation): Partial<StateReport> {
  if (!current || text(node, nodeAnnotations.currentConfig) === currentName) return {}
  const image = currentImage !== undefined && { image: currentImage }
  return { current: { config: currentName, ...image } }
}
