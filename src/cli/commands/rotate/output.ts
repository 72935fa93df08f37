import { timestamp } from '@machinist/core/timestamp'
import type { Style } from '../../text/style.ts'
import { escapeControls } from '../../text/style.ts'
import type { Window } from '../../text/redraw.ts'
import { createRedraw, widthOf } from '../../text/redraw.ts'
import { progressData, summaryData } from '../../../views/rotate/as-data.ts'
import { progressChanges } from '../../../views/rotate/changes.ts'
import type { Canvas } from '../../text/layout.ts'
import type { RotationProgress } from '../../../views/rotate/progress.ts'
import { progressPicture, summaryLines } from './picture.ts'
import type { RotationPlan } from './plan.ts'
import { planLines } from './plan.ts'

/** Receives everything that the command reports. */
export interface RotateOutput {
  readonly plan: (plan: RotationPlan, isDryRun: boolean) => void
  readonly progress: (progress: RotationProgress) => void
  /** Called when the rotation is completed. */
  readonly summary: (progress: RotationProgress) => void
  /** Text output only. */
  readonly note: (text: string) => void
  /** Whether the output shows elapsed times and needs regular updates. */
  readonly ticks: boolean
  readonly end: () => void
}

/** On a terminal a picture that is redrawn in place; otherwise one line per change. */
export function textOutput(
  out: (text: string) => void,
  style: Style,
  window: Window | undefined,
): RotateOutput {
  const print = (lines: readonly string[]): void => out(lines.map((each) => `${each}\n`).join(''))
  const canvas = (): Canvas => ({
    style,
    width: window ? Math.min(widthOf(window), 120) : Infinity,
  })
  const draw = window && createRedraw(out, window)
  let previous: RotationProgress | undefined
  return {
    plan: (plan) => print([...planLines(plan, canvas()), ...(window ? [''] : [])]),
    progress: (progress) => {
      if (draw) draw(progressPicture(progress, canvas()))
      else print(progressChanges(previous, progress).map(escapeControls))
      previous = progress
    },
    summary: (progress) => print([...(window ? [''] : []), ...summaryLines(progress, canvas())]),
    note: (text) => print([escapeControls(text)]),
    ticks: window !== undefined,
    end: () => {},
  }
}

/** A line of JSON for each change. */
export function jsonLines(out: (text: string) => void, now: () => number): RotateOutput {
  let previous = ''
  const print = (type: string, data: object): void => {
    out(`${JSON.stringify({ type, time: timestamp(now()), ...data })}\n`)
  }
  return {
    plan: ({ action, data }, isDryRun) => print('plan', { action, dryRun: isDryRun, ...data }),
    progress: (progress) => {
      const data = progressData(progress)
      const text = JSON.stringify(data)
      if (text !== previous) print('progress', data)
      previous = text
    },
    summary: (progress) => print('summary', summaryData(progress)),
    note: () => {},
    ticks: false,
    end: () => {},
  }
}

/** One document at the end. */
export function jsonDocument(out: (text: string) => void, now: () => number): RotateOutput {
  const document: Record<string, unknown> = {}
  return {
    plan: ({ action, data }, isDryRun) => {
      Object.assign(document, { action, dryRun: isDryRun, plan: data })
    },
    progress: (progress) => {
      document['progress'] = progressData(progress)
    },
    summary: (progress) => {
      document['progress'] = summaryData(progress)
    },
    note: () => {},
    ticks: false,
    end: () => out(`${JSON.stringify({ time: timestamp(now()), ...document }, null, 2)}\n`),
  }
}
