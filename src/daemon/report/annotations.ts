import { nodeAnnotations, rebooting } from '../../api/annotations.ts'
import type { FollowDecision, StateReport } from '../follow/decide/decision.ts'
import type { NodeView } from '../node/node-view.ts'

/** `null` removes an annotation. */
export type AnnotationChanges = Readonly<Record<string, string | null>>

/** The limit of MCO. */
const maxReasonCharacters = 2000

/** The annotations that a decision changes on the Node. */
export function annotationsFor(
  decision: FollowDecision,
  node: NodeView,
  finalizationFailure?: string,
): AnnotationChanges {
  const about = { ...rebootIsOver(node), ...finalization(node, finalizationFailure) }
  return changesOnly({ ...desiredBy(decision, node), ...about }, node)
}

/** The annotations that a state changes outside of a decision. */
export const annotationsOf = (report: StateReport, node: NodeView): AnnotationChanges =>
  changesOnly(stateAnnotations(report, node), node)

/** A finalization failure that the Node does not report yet. */
export const isNewFailure = (node: NodeView, failure: string | undefined): failure is string =>
  failure !== undefined &&
  node.annotations[nodeAnnotations.finalizeStagedFailure] !== cutReason(failure)

/** The last annotation before the machine reboots. */
export const rebootBegins: AnnotationChanges = { [nodeAnnotations.postConfigAction]: rebooting }

export function cutReason(reason: string): string {
  const characters = Array.from(reason)
  return characters.length <= maxReasonCharacters
    ? reason
    : characters.slice(0, maxReasonCharacters).join('')
}

function desiredBy(decision: FollowDecision, node: NodeView): AnnotationChanges {
  const { next, report } = decision
  if (next.action === 'adopt') return next.annotations
  if (next.action === 'stay') return staying(next)
  if (next.action === 'complete') return { [nodeAnnotations.desiredDrain]: next.value }
  const state = stateAnnotations(report, node)
  if (next.action === 'requestDrain') {
    return { ...state, [nodeAnnotations.desiredDrain]: next.value }
  }
  return state
}

function staying({ config, image = null }: { config: string; image?: string | null }) {
  return {
    [nodeAnnotations.currentConfig]: config,
    [nodeAnnotations.currentImage]: image,
    [nodeAnnotations.desiredConfig]: config,
    [nodeAnnotations.desiredImage]: image,
  }
}

function stateAnnotations(report: StateReport | undefined, node: NodeView): AnnotationChanges {
  if (!report) return {}
  const { state, reason, current } = report
  return {
    [nodeAnnotations.state]: state,
    ...(reason !== undefined && { [nodeAnnotations.reason]: cutReason(reason) }),
    ...(current && {
      [nodeAnnotations.currentConfig]: current.config,
      [nodeAnnotations.currentImage]: current.image ?? null,
      ...(node.annotations[nodeAnnotations.desiredImage] === '' && {
        [nodeAnnotations.desiredImage]: null,
      }),
    }),
  }
}

/** A decision after `Rebooting` was written means that the reboot is over. */
const rebootIsOver = ({ annotations }: NodeView): AnnotationChanges =>
  annotations[nodeAnnotations.postConfigAction] === rebooting
    ? { [nodeAnnotations.postConfigAction]: '' }
    : {}

/** Why the last boot did not start the staged OS; cleared once one has. */
function finalization({ annotations }: NodeView, failure: string | undefined): AnnotationChanges {
  const key = nodeAnnotations.finalizeStagedFailure
  if (failure === undefined && annotations[key] === undefined) return {}
  return { [key]: cutReason(failure ?? '') }
}

function changesOnly(desired: AnnotationChanges, { annotations }: NodeView): AnnotationChanges {
  const changes = Object.entries(desired).filter(([key, value]) => {
    const present = Object.hasOwn(annotations, key) ? annotations[key] : undefined
    return value === null ? present !== undefined : present !== value
  })
  return Object.fromEntries(changes)
}
