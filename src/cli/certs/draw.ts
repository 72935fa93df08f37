import type { Paint, Style } from '../style.ts'
import { harmless, wrapped } from '../style.ts'
import type { Life, Mood } from '../../views/certs/life.ts'
import type { Unit } from '../../views/certs/life.ts'
import { amount, day, lifeLine, span } from '../../views/certs/life.ts'
import type { Branch, Page } from '../../views/certs/tree.ts'
import { lifeText } from '../../views/certs/tree.ts'

export interface Canvas {
  readonly style: Style
  readonly width: number
  readonly now: number
}

/** For eyes: a tree with a line of life for each certificate. */
export function drawn({ title, blocks }: Page, canvas: Canvas): string {
  const lines = [canvas.style.bold(title)]
  for (const { text, children = [] } of blocks) {
    lines.push('', ...cut(text, canvas.width).map((line) => canvas.style.bold(line)))
    lines.push(...branches(children, '', canvas))
  }
  return `${lines.join('\n')}\n`
}

/** For ears, logs and pipes: a sentence on each line, nothing that has to be seen. */
export function spoken({ title, blocks }: Page, now: number): string {
  const lines = [title]
  const say = (branch: Branch, indent: string): void => {
    lines.push(`${indent}${inWords(harmless(sentence(branch, now)))}`)
    for (const child of branch.children ?? []) say(child, `${indent}  `)
  }
  for (const { text, children = [] } of blocks) {
    lines.push('', harmless(text))
    for (const child of children) say(child, '  ')
  }
  return `${lines.join('\n')}\n`
}

/** Signs and abbreviations are read out badly. */
function inWords(text: string): string {
  return text
    .replaceAll(' → ', ', then ')
    .replaceAll(/\b(\d+) (d|h|min)\b/g, (_, number: string, unit: Unit) => amount(number, unit))
}

function sentence({ label, text, life, notes = [], mood = 'well' }: Branch, now: number): string {
  const left = life && life.notAfter - now
  const when =
    left === undefined
      ? []
      : left > 0
        ? [`${span(left)} left, until ${day(life!.notAfter)}`]
        : [`ended ${span(left)} ago`]
  const said = [...when, ...notes].join(', ')
  const warning = { ended: 'Ended: ', urgent: 'Urgent: ', soon: 'Attention: ', near: '', well: '' }[
    mood
  ]
  const name = label === undefined ? text : `${label} ${text}`
  return `${warning}${name}${said === '' ? '' : `: ${said}`}`
}

function branches(all: readonly Branch[], indent: string, canvas: Canvas): string[] {
  return all.flatMap((branch, i) => {
    const isLast = i === all.length - 1
    const below = `${indent}${isLast ? '   ' : '│  '}`
    return [
      ...rowLines(branch, `${indent}${isLast ? '└─ ' : '├─ '}`, below, canvas),
      ...branches(branch.children ?? [], below, canvas),
    ]
  })
}

const marks: Readonly<Record<Mood, string>> = {
  ended: '✗ ',
  urgent: '! ',
  soon: '! ',
  near: '',
  well: '',
}

/** Certificates are a column of lines; what has a label has its name first, and the rest below it. */
function rowLines(branch: Branch, first: string, below: string, canvas: Canvas): string[] {
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
  const [top = '', ...more] = cut(nameOf(branch), Math.min(room, left)).map(paintFor(branch, style))
  const rest = belowName(branch, left, canvas)
  return [begin + top, ...[...more, ...rest].map((line) => style.dim(indent) + line)]
}

/** Undefined if it does not fit. */
function oneLine(branch: Branch, room: number, canvas: Canvas): string | undefined {
  const { label, life, notes = [], mood } = branch
  if (life && label !== undefined) return undefined
  const bar = life && lifeOf(life, mood, canvas)
  const name = nameOf(branch)
  const remark = harmless(notes.join(', '))
  const length = (bar ? bar.length + 2 : 0) + name.length + (remark ? remark.length + 2 : 0)
  if (length > room) return undefined
  const { style } = canvas
  const parts = [bar?.painted, paintFor(branch, style)(name), remark && style.dim(remark)]
  return parts.filter(Boolean).join('  ')
}

function belowName({ life, notes = [], mood }: Branch, room: number, canvas: Canvas): string[] {
  const { style } = canvas
  const bar = life && lifeOf(life, mood, canvas)
  const remark = harmless(notes.join(', '))
  if (bar && remark && bar.length + 2 + remark.length <= room) {
    return [`${bar.painted}  ${style.dim(remark)}`]
  }
  const lines = remark === '' ? [] : cut(remark, room).map((line) => style.dim(line))
  return bar ? [bar.painted, ...lines] : lines
}

const nameOf = ({ text, mood = 'well' }: Branch): string => marks[mood] + harmless(text)

/** Where a line of life has the colour, the name needs none. */
function paintFor({ life, label, mood }: Branch, style: Style): Paint {
  return life || label !== undefined ? (text) => text : paintOf(mood, style)
}

interface Part {
  /** As it is seen; colours have none. */
  readonly length: number
  readonly painted: string
}

function lifeOf(life: Life, mood: Mood | undefined, { style, width, now }: Canvas): Part {
  const room = width >= 100 ? 20 : width >= 60 ? 12 : width >= 40 ? 6 : 0
  // Without a beginning there is nothing to draw.
  const cells = life.notBefore === undefined ? 0 : room
  const { gone, left } = lifeLine(life, now, cells)
  const text = lifeText(life, now).padStart(width >= 60 ? 11 : 0)
  const paint = paintOf(mood, style)
  const line = cells === 0 ? '' : `${style.dim(gone)}${paint(left)} `
  return { length: (cells === 0 ? 0 : cells + 1) + text.length, painted: line + paint(text) }
}

function paintOf(mood: Mood = 'well', style: Style): Paint {
  const paints: Readonly<Record<Mood, Paint>> = {
    ended: style.red,
    urgent: style.red,
    soon: style.yellow,
    near: style.cyan,
    well: style.green,
  }
  return paints[mood]
}

/** At spaces; a word that is longer than a line loses its middle. */
function cut(text: string, width: number): string[] {
  return wrapped(harmless(text), width).map((line) => {
    if (line.length <= width) return line
    const half = Math.floor((width - 1) / 2)
    return `${line.slice(0, width - 1 - half)}…${line.slice(line.length - half)}`
  })
}
