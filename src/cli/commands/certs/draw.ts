import type { Canvas } from '../../text/layout.ts'
import { truncateMiddle } from '../../text/layout.ts'
import type { Paint, Style } from '../../text/style.ts'
import { escapeControls, wrapText } from '../../text/style.ts'
import type { Validity, Severity } from '../../../views/certs/validity.ts'
import type { Unit } from '../../../views/certs/validity.ts'
import { spelledAmount, day, validityBar, roundedSpan } from '../../../views/certs/validity.ts'
import type { CertsBranch, CertsPage } from '../../../views/certs/tree.ts'
import { validityText } from '../../../views/certs/tree.ts'

export interface CertsCanvas extends Canvas {
  readonly now: number
}

/** For a terminal: a tree with a validity bar for each certificate. */
export function drawPage({ title, blocks }: CertsPage, canvas: CertsCanvas): string {
  const lines = [canvas.style.bold(title)]
  for (const { text, children = [] } of blocks) {
    lines.push('', ...wrapTruncated(text, canvas.width).map((line) => canvas.style.bold(line)))
    lines.push(...branches(children, '', canvas))
  }
  return `${lines.join('\n')}\n`
}

/** For logs, pipes and screen readers: one sentence per line, without symbols. */
export function plainPage({ title, blocks }: CertsPage, now: number): string {
  const lines = [title]
  const append = (branch: CertsBranch, indent: string): void => {
    lines.push(`${indent}${spellOut(escapeControls(sentence(branch, now)))}`)
    for (const child of branch.children ?? []) append(child, `${indent}  `)
  }
  for (const { text, children = [] } of blocks) {
    lines.push('', escapeControls(text))
    for (const child of children) append(child, '  ')
  }
  return `${lines.join('\n')}\n`
}

/** Screen readers do not read symbols and abbreviations well. */
function spellOut(text: string): string {
  return text
    .replaceAll(' → ', ', then ')
    .replaceAll(/\b(\d+) (d|h|min)\b/g, (_, number: string, unit: Unit) =>
      spelledAmount(number, unit),
    )
}

function sentence(
  { label, text, validity, notes = [], severity = 'well' }: CertsBranch,
  now: number,
): string {
  const left = validity && validity.notAfter - now
  const when =
    left === undefined
      ? []
      : left > 0
        ? [`${roundedSpan(left)} left, until ${day(validity!.notAfter)}`]
        : [`expired ${roundedSpan(left)} ago`]
  const details = [...when, ...notes].join(', ')
  const name = label === undefined ? text : `${label} ${text}`
  return `${warnings[severity]}${name}${details === '' ? '' : `: ${details}`}`
}

const warnings: Readonly<Record<Severity, string>> = {
  ended: 'Expired: ',
  urgent: 'Urgent: ',
  soon: 'Attention: ',
  near: '',
  well: '',
}

function branches(all: readonly CertsBranch[], indent: string, canvas: CertsCanvas): string[] {
  return all.flatMap((branch, i) => {
    const isLast = i === all.length - 1
    const below = `${indent}${isLast ? '   ' : '│  '}`
    return [
      ...rowLines(branch, `${indent}${isLast ? '└─ ' : '├─ '}`, below, canvas),
      ...branches(branch.children ?? [], below, canvas),
    ]
  })
}

const marks: Readonly<Record<Severity, string>> = {
  ended: '✗ ',
  urgent: '! ',
  soon: '! ',
  near: '',
  well: '',
}

/** One line if it fits. Otherwise the name is on the first line and the rest below it. */
function rowLines(
  branch: CertsBranch,
  first: string,
  below: string,
  canvas: CertsCanvas,
): string[] {
  const { style, width } = canvas
  const head = branch.label === undefined ? '' : `${branch.label} `.padEnd(8)
  const begin = style.dim(first) + (head && style.bold(head))
  const room = Math.max(width - first.length - head.length, 12)
  const whole = oneLine(branch, room, canvas)
  if (whole !== undefined) return [begin + whole]
  const hasChildren = branch.children !== undefined && branch.children.length > 0
  const indent =
    below + (hasChildren ? '│' : ' ').padEnd(width >= 60 ? Math.max(head.length, 3) : 3)
  const left = Math.max(width - indent.length, 12)
  const [top = '', ...more] = wrapTruncated(nameOf(branch), Math.min(room, left)).map(
    paintFor(branch, style),
  )
  const rest = belowName(branch, left, canvas)
  return [begin + top, ...[...more, ...rest].map((line) => style.dim(indent) + line)]
}

/** The branch on one line; undefined if it does not fit. */
function oneLine(branch: CertsBranch, room: number, canvas: CertsCanvas): string | undefined {
  const { label, validity, notes = [], severity } = branch
  if (validity && label !== undefined) return undefined
  const bar = validity && validityPart(validity, severity, canvas)
  const name = nameOf(branch)
  const remark = escapeControls(notes.join(', '))
  const length = (bar ? bar.length + 2 : 0) + name.length + (remark ? remark.length + 2 : 0)
  if (length > room) return undefined
  const { style } = canvas
  const parts = [bar?.painted, paintFor(branch, style)(name), remark && style.dim(remark)]
  return parts.filter(Boolean).join('  ')
}

function belowName(
  { validity, notes = [], severity }: CertsBranch,
  room: number,
  canvas: CertsCanvas,
): string[] {
  const { style } = canvas
  const bar = validity && validityPart(validity, severity, canvas)
  const remark = escapeControls(notes.join(', '))
  if (bar && remark && bar.length + 2 + remark.length <= room) {
    return [`${bar.painted}  ${style.dim(remark)}`]
  }
  const lines = remark === '' ? [] : wrapTruncated(remark, room).map((line) => style.dim(line))
  return bar ? [bar.painted, ...lines] : lines
}

const nameOf = ({ text, severity = 'well' }: CertsBranch): string =>
  marks[severity] + escapeControls(text)

/** The name has no color of its own if a validity bar shows the color. */
function paintFor({ validity, label, severity }: CertsBranch, style: Style): Paint {
  return validity || label !== undefined ? (text) => text : paintOf(severity, style)
}

interface PaintedBar {
  /** Visible characters, without color codes. */
  readonly length: number
  readonly painted: string
}

function validityPart(
  validity: Validity,
  severity: Severity | undefined,
  { style, width, now }: CertsCanvas,
): PaintedBar {
  const room = width >= 100 ? 20 : width >= 60 ? 12 : width >= 40 ? 6 : 0
  // A bar needs a start.
  const cells = validity.notBefore === undefined ? 0 : room
  const { elapsed, left } = validityBar(validity, now, cells)
  const text = validityText(validity, now).padStart(width >= 60 ? 11 : 0)
  const paint = paintOf(severity, style)
  const line = cells === 0 ? '' : `${style.dim(elapsed)}${paint(left)} `
  return { length: (cells === 0 ? 0 : cells + 1) + text.length, painted: line + paint(text) }
}

function paintOf(severity: Severity = 'well', style: Style): Paint {
  const paints: Readonly<Record<Severity, Paint>> = {
    ended: style.red,
    urgent: style.red,
    soon: style.yellow,
    near: style.cyan,
    well: style.green,
  }
  return paints[severity]
}

/** Wraps at spaces; a word that is longer than a line loses its middle. */
function wrapTruncated(text: string, width: number): string[] {
  return wrapText(escapeControls(text), width).map((line) => truncateMiddle(line, width))
}
