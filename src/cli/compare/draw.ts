import type { Style } from '../style.ts'
import { wrapped } from '../style.ts'
import { drawLogs } from './draw-logs.ts'
import { problemsOf } from '../../views/compare/expectations.ts'
import type { Comparison } from '../../views/compare/facts.ts'
import type { Group, Row } from '../../views/compare/rows.ts'
import { groupsOf } from '../../views/compare/rows.ts'
import { ways } from '../../views/compare/ways.ts'

export interface Canvas {
  readonly style: Style
  readonly width: number
}

/** Pure: the comparison for eyes. */
export function drawComparison(comparison: Comparison, canvas: Canvas): string {
  const groups = groupsOf(comparison)
  const table = tableFor(groups, canvas)
  return [
    ...heading(comparison, canvas),
    '',
    ...table.heading,
    ...groups.flatMap((group) => groupLines(group, table, canvas)),
    ...drawLogs(comparison, canvas),
    '',
    ...endLines(comparison, canvas),
    '',
  ].join('\n')
}

function groupLines(group: Group, table: Table, canvas: Canvas): string[] {
  const rows = group.rows.flatMap(table.row)
  return [canvas.style.bold(group.title), ...rows, ...verdictLines(group, canvas), '']
}

function heading({ pools, speed }: Comparison, { style, width }: Canvas): string[] {
  const counts = pools.map(
    ({ name, nodes, paused }) => `${nodes.length} ${name}${paused ? ' (paused)' : ''}`,
  )
  const hurry = speed === 1 ? '' : `, waits hurried ×${speed}`
  return [
    ...wrapped(
      'One rotation of kube-apiserver-to-kubelet-signer, delivered in two ways',
      width,
    ).map(style.bold),
    ...wrapped(`on clusters of ${counts.join(', ')}${hurry}`, width).map(style.dim),
  ]
}

interface Table {
  readonly heading: readonly string[]
  readonly row: (row: Row) => string[]
}

const mark = '≠'
const widestLabel = 40
const narrowestLabel = 20

/** Columns where they fit; below one another where they do not. */
function tableFor(groups: readonly Group[], { style, width }: Canvas): Table {
  const values = groups.flatMap(({ rows }) =>
    rows.flatMap(({ rendered, direct }) => [rendered, direct]),
  )
  const headings = [...ways.rendered.heading, ...ways.direct.heading]
  const column = Math.max(...[...values, ...headings].map((text) => text.length))
  const label = Math.min(width - 2 - 2 * (column + 2), widestLabel)
  if (label < narrowestLabel) return { heading: [], row: (row) => stacked(row, style) }
  const line = (text: string, one: string, other: string): string =>
    `${text.padEnd(label)}  ${one.padStart(column)}  ${other.padStart(column)}`
  return {
    heading: ways.rendered.heading.map((text, i) =>
      style.bold(`  ${line('', text, ways.direct.heading[i]!)}`),
    ),
    row(row) {
      const [first = '', ...more] = wrapped(row.label, label)
      const text = line(first, row.rendered, row.direct)
      const isOther = row.rendered !== row.direct
      const painted = isOther ? `${style.yellow(mark)} ${style.bold(text)}` : `  ${text}`
      return [painted, ...more.map((rest) => `  ${rest}`)]
    },
  }
}

function stacked({ label, rendered, direct }: Row, style: Style): string[] {
  const isOther = rendered !== direct
  const value = (way: string, text: string): string => `    ${way.padEnd(9)} ${text}`
  return [
    isOther ? `${style.yellow(mark)} ${style.bold(label)}` : `  ${label}`,
    value(ways.rendered.short, rendered),
    value(ways.direct.short, direct),
  ]
}

/** The first sentence is what the group comes to; what follows explains it. */
function verdictLines({ verdict }: Group, { style, width }: Canvas): string[] {
  return verdict.flatMap((sentence, i) => {
    const lines = wrapped(sentence, Math.min(width, 100) - 4)
    const begin = i === 0 ? '→ ' : '  '
    const paint = i === 0 ? style.green : style.dim
    return lines.map((text, n) => `  ${paint(`${n === 0 ? begin : '  '}${text}`)}`)
  })
}

function endLines(comparison: Comparison, { style, width }: Canvas): string[] {
  const problems = problemsOf(comparison)
  if (problems.length === 0) return [style.green('✓ Both rotations did what they should.')]
  return problems.flatMap((problem) =>
    wrapped(problem, width - 2).map((text, i) => style.red(`${i === 0 ? '✗' : ' '} ${text}`)),
  )
}
