import { nodeAnnotations, rebooting } from '../../api/annotations.ts'
import type { Decision, StateReport } from '../follow/decision.ts'
import type { NodeView } from '../follow/facts.ts'

/** `null` removes one. */
export type AnnotationChanges = Readonly<Record<string, string | null>>

/** As long as the original lets a reason be. */
const mostReasonCharacters = 2000

/** What has to be written on the Node for a decision: only what it does not say already. */
export function annotationsFor(
  decision: Decision,
  node: NodeView,
  finalizationFailure?: string,
): AnnotationChanges {
  const about = { ...rebootIsOver(node), ...finalization(node, finalizationFailure) }
  return changesOnly({ ...wantedBy(decision, node), ...about }, node)
}

/** What has to be written for a state that nobody decided. */
export const annotationsOf = (report: StateReport, node: NodeView): AnnotationChanges =>
  changesOnly(stated(report, node), node)

/** A failure that the Node does not tell yet. */
export const isNewFailure = (node: NodeView, failure: string | undefined): failure is string =>
  failure !== undefined &&
  node.annotations[nodeAnnotations.finalizeStagedFailure] !== cutReason(failure)

/** The last thing that a machine says before it goes down. */
export const rebootBegins: AnnotationChanges = { [nodeAnnotations.postConfigAction]: rebooting }

export function cutReason(reason: string): string {
  const characters = Array.from(reason)
  return characters.length <= mostReasonCharacters
    ? reason
    : characters.slice(0, mostReasonCharacters).join('')
}

function wantedBy(decision: Decision, node: NodeView): AnnotationChanges {
  const { next, report } = decision
  if (next.do === 'adopt') return next.annotations
  if (next.do === 'stay') return staying(next)
  if (next.do === 'complete') return { [nodeAnnotations.desiredDrain]: next.value }
  const said = stated(report, node)
  if (next.do === 'requestDrain') {
    return { ...said, [nodeAnnotations.desiredDrain]: next.value }
  }
  return said
}

function staying({ config, image = null }: { config: string; image?: string | null }) {
  return {
    [nodeAnnotations.currentConfig]: config,
    [nodeAnnotations.currentImage]: image,
    [nodeAnnotations.desiredConfig]: config,
    [nodeAnnotations.desiredImage]: image,
  }
}

function stated(report: StateReport | undefined, node: NodeView): AnnotationChanges {
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

/** Whoever decides again after `Rebooting` was written is back from that reboot. */
const rebootIsOver = ({ annotations }: NodeView): AnnotationChanges =>
  annotations[nodeAnnotations.postConfigAction] === rebooting
    ? { [nodeAnnotations.postConfigAction]: '' }
    : {}

/** Why the last boot did not bring the OS that was staged; nothing once one has. */
function finalization({ annotations }: NodeView, failure: string | undefined): AnnotationChanges {
  const key = nodeAnnotations.finalizeStagedFailure
  if (failure === undefined && annotations[key] === undefined) return {}
  return { [key]: cutReason(failure ?? '') }
}

function changesOnly(wanted: AnnotationChanges, { annotations }: NodeView): AnnotationChanges {
  const changes = Object.entries(wanted).filter(([key, value]) => {
    const present = Object.hasOwn(annotations, key) ? annotations[key] : undefined
    return value === null ? present !== undefined : present !== value
  })
  return Object.fromEntries(changes)
}
