import type { KubeClient } from '@machinist/kube/client/client'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import type { RotationPlanView } from '../../../views/rotate/plan.ts'
import { exclusionPlan, rollbackPlan, rotatePlan } from '../../../views/rotate/plan.ts'
import type { Canvas, Piece } from '../../text/layout.ts'
import { labelledLines, line } from '../../text/layout.ts'
import { excludeNodes, newCAPatch, patchSigner, previousCAPatch } from './act.ts'

/** A request with its effects. */
export interface RotationPlan extends RotationPlanView {
  /** With `dryRun` the API server only checks whether the request is allowed. */
  readonly act: (client: KubeClient, dryRun: boolean) => Promise<void>
}

/** Requests a new CA. */
export function planToRotate(facts: RotationFacts): RotationPlan {
  return {
    ...rotatePlan(facts),
    act: (client, dryRun) => patchSigner(client, facts.rotation, newCAPatch, dryRun),
  }
}

/** Requests the CA before the current one. */
export function planToGoBack(facts: RotationFacts): RotationPlan {
  const { rotation } = facts
  const current = rotation.status?.current?.fingerprint ?? ''
  return {
    ...rollbackPlan(facts),
    act: (client, dryRun) => patchSigner(client, rotation, previousCAPatch(current), dryRun),
  }
}

/** Excludes nodes from the rotation. */
export function planWithout(facts: RotationFacts, names: readonly string[]): RotationPlan {
  const { rotation } = facts
  const current = rotation.status?.current?.fingerprint ?? ''
  return {
    ...exclusionPlan(facts, names),
    act: (client, dryRun) => excludeNodes(client, rotation, current, names, dryRun),
  }
}

export function planLines(plan: RotationPlanView, canvas: Canvas): string[] {
  const { style, width } = canvas
  const labelWidth = Math.max(...plan.rows.map(({ label }) => label.length)) + 2
  const labelPiece = (label: string): Piece => [`  ${label.padEnd(labelWidth)}`, style.dim]
  const warning = (label: Piece, text: string): string[] =>
    labelledLines(label, `! ${text}`, canvas, style.yellow)
  return [
    line([[plan.title, style.bold]], width),
    ...plan.rows.flatMap(({ label, text, warnings = [] }) => [
      ...labelledLines(labelPiece(label), text, canvas),
      ...warnings.flatMap((each) => warning(labelPiece(''), each)),
    ]),
    ...plan.notes.flatMap(({ text, isWarning }) =>
      isWarning ? warning('  ', text) : labelledLines('  ', text, canvas),
    ),
  ]
}
