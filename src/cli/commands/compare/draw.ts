import type { Canvas } from '../../text/layout.ts'
import type { Style } from '../../text/style.ts'
import { wrapText } from '../../text/style.ts'
import { problemsOf } from '../../../views/compare/expectations.ts'
import type { Comparison } from '../../../views/compare/facts.ts'
import type { Group, Row } from '../../../views/compare/rows.ts'
import { groupsOf } from '../../../views/compare/rows.ts'
import { deliveries } from '../../../views/compare/deliveries.ts'
import { drawLogs } from './draw-logs.ts'

/** Pure: the comparison as text. */
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
  const acceleration = speed === 1 ? '' : `, at speed ×${speed}`
  return [
    ...wrapText('One rotation of kube-apiserver-to-kubelet-signer with two deliveries', width).map(
      style.bold,
    ),
    ...wrapText(`on clusters of ${counts.join(', ')}${acceleration}`, width).map(style.dim),
  ]
}

interface Table {
  readonly heading: readonly string[]
  readonly row: (row: Row) => string[]
}

const mark = '≠'
const maxLabelWidth = 40
const minLabelWidth = 20

/** A table if the columns fit, otherwise one value per line. */
function tableFor(groups: readonly Group[], { style, width }: Canvas): Table {
  const values = groups.flatMap(({ rows }) =>
    rows.flatMap(({ rendered, direct }) => [rendered, direct]),
  )
  const headings = [...deliveries.rendered.heading, ...deliveries.direct.heading]
  const column = Math.max(...[...values, ...headings].map((text) => text.length))
  const label = Math.min(width - 2 - 2 * (column + 2), maxLabelWidth)
  if (label < minLabelWidth) return { heading: [], row: (row) => stacked(row, style) }
  const line = (text: string, one: string, other: string): string =>
    `${text.padEnd(label)}  ${one.padStart(column)}  ${other.padStart(column)}`
  return {
    heading: deliveries.rendered.heading.map((text, i) =>
      style.bold(`  ${line('', text, deliveries.direct.heading[i]!)}`),
    ),
    row(row) {
      const [first = '', ...more] = wrapText(row.label, label)
      const text = line(first, row.rendered, row.direct)
      const isDifferent = row.rendered !== row.direct
      const painted = isDifferent ? `${style.yellow(mark)} ${style.bold(text)}` : `  ${text}`
      return [painted, ...more.map((rest) => `  ${rest}`)]
    },
  }
}

function stacked({ label, rendered, direct }: Row, style: Style): string[] {
  const isDifferent = rendered !== direct
  const value = (name: string, text: string): string => `    ${name.padEnd(9)} ${text}`
  return [
    isDifferent ? `${style.yellow(mark)} ${style.bold(label)}` : `  ${label}`,
    value(deliveries.rendered.short, rendered),
    value(deliveries.direct.short, direct),
  ]
}

/** The first sentence is the conclusion of the group; the others explain it. */
function verdictLines({ verdict }: Group, { style, width }: Canvas): string[] {
  return verdict.flatMap((sentence, i) => {
    const lines = wrapText(sentence, Math.min(width, 100) - 4)
    const begin = i === 0 ? '→ ' : '  '
    const paint = i === 0 ? style.green : style.dim
    return lines.map((text, n) => `  ${paint(`${n === 0 ? begin : '  '}${text}`)}`)
  })
}

function endLines(comparison: Comparison, { style, width }: Canvas): string[] {
  const problems = problemsOf(comparison)
  if (problems.length === 0) return [style.green('✓ Both rotations behaved as expected.')]
  return problems.flatMap((problem) =>
    wrapText(problem, width - 2).map((text, i) => style.red(`${i === 0 ? '✗' : ' '} ${text}`)),
  )
}
