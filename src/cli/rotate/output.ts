import { timestamp } from '@machinist/core/timestamp'
import type { Style } from '../style.ts'
import { harmless } from '../style.ts'
import type { Window } from '../redraw.ts'
import { redrawing, widthOf } from '../redraw.ts'
import { progressData, summaryData } from '../../views/rotate/as-data.ts'
import { changes } from './changes.ts'
import type { Canvas } from './layout.ts'
import { picture, summaryLines } from './picture.ts'
import type { Plan } from './plan.ts'
import type { Progress } from '../../views/rotate/progress.ts'

/** Where everything that is told goes. */
export interface Output {
  readonly plan: (plan: Plan, isDryRun: boolean) => void
  readonly progress: (progress: Progress) => void
  /** It is completed. */
  readonly summary: (progress: Progress) => void
  /** For people only. */
  readonly note: (text: string) => void
  /** Whether times are shown that pass. */
  readonly ticks: boolean
  readonly end: () => void
}

/** A picture where somebody looks, redrawn in place; elsewhere a line for each change. */
export function textOutput(
  out: (text: string) => void,
  style: Style,
  window: Window | undefined,
): Output {
  const print = (lines: readonly string[]): void => out(lines.map((each) => `${each}\n`).join(''))
  const canvas = (): Canvas => ({
    style,
    width: window ? Math.min(widthOf(window), 120) : Infinity,
  })
  const draw = window && redrawing(out, window)
  let before: Progress | undefined
  return {
    plan: ({ lines }) => print([...lines(canvas()), ...(window ? [''] : [])]),
    progress: (progress) => {
      if (draw) draw(picture(progress, canvas()))
      else print(changes(before, progress))
      before = progress
    },
    summary: (progress) => print([...(window ? [''] : []), ...summaryLines(progress, canvas())]),
    note: (text) => print([harmless(text)]),
    ticks: window !== undefined,
    end: () => {},
  }
}

/** A line of JSON for each change. */
export function jsonLines(out: (text: string) => void, now: () => number): Output {
  let before = ''
  const say = (type: string, data: object): void => {
    out(`${JSON.stringify({ type, time: timestamp(now()), ...data })}\n`)
  }
  return {
    plan: ({ action, data }, isDryRun) => say('plan', { action, dryRun: isDryRun, ...data }),
    progress: (progress) => {
      const data = progressData(progress)
      const text = JSON.stringify(data)
      if (text !== before) say('progress', data)
      before = text
    },
    summary: (progress) => say('summary', summaryData(progress)),
    note: () => {},
    ticks: false,
    end: () => {},
  }
}

/** One document at the end. */
export function jsonDocument(out: (text: string) => void, now: () => number): Output {
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
