import type { PlanInput } from '../../../planner/model/plan-input.ts'
import { planDigest } from '../../../planner/plan-digest.ts'
import type {
  PlanAction,
  PlanChange,
  PlanStep,
  UpdatePlan,
} from '../../../planner/model/update-plan.ts'
import type { ChangeContents, ContentsOf } from '../../../views/plan/contents.ts'
import { contentsOf } from '../../../views/plan/contents.ts'
import type { Paint, Style } from '../../text/style.ts'
import { escapeControls, wrapText } from '../../text/style.ts'
import { closingLine } from '../../../views/plan/closing.ts'
import { diffLines } from './diff-lines.ts'

const columns = 80

/** The plan as text: the changes with their diffs, the actions, and a closing line. */
export function planText(plan: UpdatePlan, input: PlanInput, style: Style): string {
  const [before, after] = [contentsOf(input.current), contentsOf(input.desired)]
  const { changes, reasons, notes = [], reconcilable } = plan
  const lines = [
    style.bold(escapeControls(`Plan ${planDigest(plan)} from ${plan.from} to ${plan.to}`)),
    ...section(
      'Cannot be applied',
      reasons.flatMap((reason) => item(style.red('✗'), reason)),
      style,
    ),
    ...section(
      'Changes',
      changes.flatMap((change) => changeLines(change, plan, before, after, style)),
      style,
    ),
    ...section(
      'Without effect',
      notes.flatMap((note) => item('·', note)),
      style,
    ),
    ...(reconcilable ? actionSections(plan, style) : []),
    '',
    ...wrapText(escapeControls(closingLine(plan)), columns).map((line) => style.bold(line)),
  ]
  return `${lines.join('\n')}\n`
}

function actionSections(
  { actions, drain, drainRule, reboot, steps }: UpdatePlan,
  style: Style,
): string[] {
  return [
    ...section('Actions', actions.flatMap(actionLines), style),
    '',
    ...pair('Drain ', `${drain ? 'yes' : 'no'}: ${drainRule}`, drain ? style.yellow : style.green),
    ...pair('Reboot', reboot ? 'yes' : 'no', reboot ? style.yellow : style.green),
    ...section('Steps', stepLines(steps), style),
  ]
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines]
}

/** A sentence after a mark; further lines are indented to its first word. */
function item(mark: string, text: string, width = 1): string[] {
  const indent = ' '.repeat(width + 3)
  return wrapText(escapeControls(text), columns - indent.length).map((line, i) =>
    i === 0 ? `  ${mark} ${line}` : `${indent}${line}`,
  )
}

function pair(name: string, text: string, paint: Paint): string[] {
  const [first = '', ...others] = wrapText(escapeControls(text), columns - name.length - 2)
  return [`${name}  ${paint(first)}`, ...others.map((line) => ' '.repeat(name.length + 2) + line)]
}

const marks = { added: '+', changed: '~', removed: '-' } as const

function changeLines(
  change: PlanChange,
  { to }: UpdatePlan,
  before: ContentsOf,
  after: ContentsOf,
  style: Style,
): string[] {
  const paint = { added: style.green, changed: style.yellow, removed: style.red }[change.change]
  const from = change.from === undefined || change.from === to ? '' : ` From ${change.from}.`
  return [
    ...item(paint(marks[change.change]), `${change.summary}${from}`),
    ...differenceLines(before(change), after(change), style).map((line) => `      ${line}`),
  ]
}

const noBytes = new Uint8Array()

function differenceLines(
  before: ChangeContents | undefined,
  after: ChangeContents | undefined,
  style: Style,
): string[] {
  if (!before && !after) return []
  const [old, current] = [before?.bytes ?? noBytes, after?.bytes ?? noBytes]
  if (Buffer.compare(old, current) === 0) return []
  if (before?.secret || after?.secret) return [style.dim('(secret: not shown)')]
  const paints: Record<string, Paint> = { '+': style.green, '-': style.red, '@': style.cyan }
  return diffLines(old, current).map((line) =>
    line.startsWith('#') ? style.dim(`(${line.slice(2)})`) : (paints[line[0]!] ?? same)(line),
  )
}

const same: Paint = (text) => text

function actionLines({ type, service, rule, because }: PlanAction, index: number): string[] {
  const what = service === undefined ? type : `${type} ${service}`
  const shown = because.slice(0, 5).join(', ')
  const more = because.length > 5 ? ` and ${because.length - 5} more` : ''
  const why = because.length === 0 ? rule : `${rule} (${shown}${more})`
  return item(`${index + 1}.`, `${what}: ${why}`, `${index + 1}.`.length)
}

const maxSteps = 40

function stepLines(steps: readonly PlanStep[]): string[] {
  const width = String(Math.min(steps.length, maxSteps)).length
  const lines = steps.slice(0, maxSteps).flatMap((step, i) => {
    const number = `${String(i + 1).padStart(width)}.`
    return item(number, stepText(step), number.length)
  })
  const more = steps.length - maxSteps
  return more > 0 ? [...lines, `  … and ${more} more`] : lines
}

function stepText(step: PlanStep): string {
  const { do: verb, ...rest } = step
  const texts = Object.entries(rest).flatMap(([key, value]) => {
    if (typeof value === 'string') return [value]
    const list = Array.isArray(value) ? value.join(' ') : compact(value)
    return list === '' ? [] : [`${key} ${list}`]
  })
  return [verb, ...texts].join(' ')
}

/** `from a to b`, `remove x add y` */
function compact(value: object): string {
  return Object.entries(value as Record<string, string | readonly string[]>)
    .map(([key, inner]) => [key, typeof inner === 'string' ? inner || 'none' : inner.join(' ')])
    .filter(([, text]) => text !== '')
    .map((words) => words.join(' '))
    .join(' ')
}
