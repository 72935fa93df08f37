import type { Paint, Style } from '../../text/style.ts'
import type { Canvas, Piece } from '../../text/layout.ts'
import { labelledLines, line } from '../../text/layout.ts'
import { count, plural } from '../../../views/wording.ts'
import type { NodeStanding, Standing } from '../../../views/rotate/node-standing.ts'
import { standings } from '../../../views/rotate/node-standing.ts'
import type { NodesProgress, RotationProgress } from '../../../views/rotate/progress.ts'
import { reachedText } from '../../../views/rotate/changes.ts'
import { durationText } from '../../../views/rotate/times.ts'

/** More nodes are shown as a bar per pool. */
const maxMarks = 240
const maxNodes = 5
/** Longer pool names are truncated. */
const maxPoolWidth = 16

const marks: Readonly<Record<Standing, string>> = {
  done: '●',
  settling: '◐',
  behind: '○',
  failed: '✕',
  excused: '–',
}

/** Pure: the standing of the nodes, pool by pool, and the nodes that delay the rotation. */
export function nodesLines(progress: RotationProgress, canvas: Canvas): string[] {
  const { nodes, now, files, restarts, isBack } = progress
  if (!nodes) return []
  const { style, width } = canvas
  const { total, counts } = nodes
  const isWhole = counts.done + counts.excused === total
  const head = reachedText(nodes, `the ${isBack ? 'previous' : 'new'} CA`)
  const settling =
    nodes.settledAt === undefined
      ? ''
      : `, ${count(counts.settling)} more in ${durationText(nodes.settledAt - now)}`
  return [
    line(
      [
        [head, isWhole ? style.green : style.bold],
        [settling, style.dim],
      ],
      width,
    ),
    ...poolLines(nodes, canvas),
    ...(isWhole || nodes.pools.length === 0 ? [] : [legend(nodes, canvas)]),
    ...waitedForLines(nodes, isEarly(progress), canvas),
    line([[workedText(files, restarts), style.dim]], width),
  ]
}

function workedText(files: number, restarts: number): string {
  return `${plural(files, 'file')} written, ${plural(restarts, 'kubelet')} restarted`
}

function poolLines({ pools, total }: NodesProgress, canvas: Canvas): string[] {
  const longest = Math.max(0, ...pools.map(({ pool }) => pool.length))
  const nameWidth = Math.min(longest, maxPoolWidth)
  return pools.flatMap(({ pool, nodes }) => {
    const name = `  ${pool.length > nameWidth ? `${pool.slice(0, nameWidth - 1)}…` : pool.padEnd(nameWidth)}  `
    return total > maxMarks ? [bar(name, nodes, canvas)] : grid(name, nodes, canvas)
  })
}

/** One mark per node, on as many lines as needed. */
function grid(name: string, nodes: readonly NodeStanding[], { style, width }: Canvas): string[] {
  const perLine = Math.max(Math.min(width - name.length, 80), 10)
  const lines: string[] = []
  for (let i = 0; i < nodes.length; i += perLine) {
    const part = nodes.slice(i, i + perLine)
    const pieces = part.map(({ standing }): Piece => [marks[standing], paintOf(standing, style)])
    lines.push(line([i === 0 ? name : ' '.repeat(name.length), ...joined(pieces)], width))
  }
  return lines
}

/** Joins neighbours of one color. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: [string, Paint][] = []
  for (const piece of pieces) {
    const [text, paint] = piece as readonly [string, Paint]
    const last = all.at(-1)
    if (last?.[1] === paint) last[0] += text
    else all.push([text, paint])
  }
  return all
}

function bar(name: string, nodes: readonly NodeStanding[], { style, width }: Canvas): string {
  const cells = width >= 80 ? 30 : width >= 60 ? 16 : 8
  const of = (standing: Standing): number =>
    nodes.filter((each) => each.standing === standing).length
  const [done, settling, failed] = [of('done'), of('settling'), of('failed')]
  // Full only when all are done.
  const full =
    done === nodes.length ? cells : Math.min(Math.floor((done / nodes.length) * cells), cells - 1)
  const half = Math.min(Math.ceil((settling / nodes.length) * cells), cells - full)
  return line(
    [
      name,
      ['━'.repeat(full), style.green],
      ['╍'.repeat(half), style.yellow],
      ['─'.repeat(cells - full - half), style.dim],
      `  ${count(done)} of ${count(nodes.length)}`,
      settling > 0 ? [`  ◐ ${count(settling)}`, style.yellow] : '',
      failed > 0 ? [`  ✕ ${count(failed)}`, style.red] : '',
    ],
    width,
  )
}

function legend({ counts, goal, total }: NodesProgress, { style, width }: Canvas): string {
  const words: Readonly<Record<Standing, string>> = {
    done: goal === 'trust' ? 'trusts it' : 'trusts only it',
    settling: 'settling',
    behind: 'not yet',
    failed: 'failed',
    excused: 'excluded',
  }
  // A bar needs the legend only for the counts behind it.
  const needed = total > maxMarks ? (['settling', 'failed'] as const) : standings
  const shown = needed.filter((each) => counts[each] > 0)
  const text = shown.map((each) => `${marks[each]} ${words[each]}`).join('  ')
  return line([[`  ${text}`, style.dim]], width)
}

/** At first the rotation waits for every node, which is not worth showing. */
const isEarly = ({ phases }: RotationProgress): boolean =>
  (phases.find(({ state }) => state === 'now')?.ms ?? Infinity) < earlyMs

const earlyMs = 15_000

function waitedForLines(nodes: NodesProgress, onlyFailed: boolean, canvas: Canvas): string[] {
  const { style, width } = canvas
  const { counts } = nodes
  const waitedFor = nodes.waitedFor.filter(({ standing }) => !onlyFailed || standing === 'failed')
  const shown = waitedFor.slice(0, maxNodes)
  const nameWidth = Math.max(0, ...shown.map(({ node }) => node.length))
  const all = onlyFailed ? counts.failed : counts.behind + counts.failed
  const more = all - shown.length
  const isRoomy = width - nameWidth >= 40
  const named = shown.flatMap(({ node, standing, why = '' }) => {
    const paint = paintOf(standing, style)
    const label = `  ${marks[standing]} ${isRoomy ? node.padEnd(nameWidth) : node}  `
    if (isRoomy) return labelledLines([label, paint], why, canvas, style.dim, 2)
    return [line([[label, paint]], width)].concat(labelledLines('    ', why, canvas, style.dim, 2))
  })
  return more > 0 ? [...named, line([[`    and ${count(more)} more`, style.dim]], width)] : named
}

function paintOf(standing: Standing, style: Style): Paint {
  const paints: Readonly<Record<Standing, Paint>> = {
    done: style.green,
    settling: style.yellow,
    behind: style.dim,
    failed: style.red,
    excused: style.dim,
  }
  return paints[standing]
}
