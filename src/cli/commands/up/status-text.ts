import { shortConfigName, shortenConfigNames } from '../../../views/config-names.ts'
import { inputHead, rotationHead } from '../../../views/status/changes.ts'
import type {
  ClusterStatus,
  InputStatus,
  NodeStatus,
  PoolStatus,
  RotationStatus,
} from '../../../views/status/cluster-status.ts'
import type { Canvas } from '../../text/layout.ts'
import { truncate } from '../../text/layout.ts'
import type { Paint } from '../../text/style.ts'
import { escapeControls, wrapText } from '../../text/style.ts'

export interface StatusCanvas extends Canvas {
  /** How many lines fit. Defaults to all. */
  readonly lines?: number
}

/** How much of the status a picture shows. */
interface Detail {
  /** Maximum number of lines of a reason. */
  readonly reasonLines: number
  /** Whether nodes that need no attention share a line. */
  readonly grouped: boolean
}

const details: readonly Detail[] = [
  { reasonLines: Infinity, grouped: false },
  { reasonLines: 3, grouped: false },
  { reasonLines: 3, grouped: true },
  { reasonLines: 1, grouped: true },
]

/** Pure: the status as a picture, with as much detail as the canvas has lines for. */
export function statusPicture(status: ClusterStatus, canvas: StatusCanvas): string[] {
  const { lines = Infinity } = canvas
  let picture: string[] = []
  for (const detail of details) {
    picture = drawStatus(status, { ...canvas, ...detail })
    if (picture.length <= lines) break
  }
  return picture
}

type Drawing = StatusCanvas & Detail

function drawStatus(status: ClusterStatus, drawing: Drawing): string[] {
  const { pools, rotations, badInputs } = status
  const names = pools.flatMap((pool) => [pool.name, ...pool.nodes.map(({ name }) => name)])
  // Nodes are indented below their pools.
  const nameWidth = Math.max(8, ...names.map((name) => name.length)) + 4
  const blocks = [
    ...pools.map((pool) => poolLines(pool, drawing, nameWidth)),
    rotations.flatMap((rotation) => rotationLines(rotation, drawing)),
    badInputs.flatMap((input) => inputLines(input, drawing)),
  ].filter(({ length }) => length > 0)
  return blocks.flatMap((lines, i) => (i > 0 ? [''].concat(lines) : lines))
}

function rotationLines(rotation: RotationStatus, { style, width, reasonLines }: Drawing): string[] {
  const { state, why } = rotation
  const paint = { progressing: style.yellow, failing: style.red }[state]
  return [truncate(rotationHead(rotation), width), ...reason(why, width, reasonLines, 4)].map(paint)
}

function inputLines(input: InputStatus, { style, width, reasonLines }: Drawing): string[] {
  const { why } = input
  return [truncate(inputHead(input), width), ...reason(why, width, reasonLines, 4)].map(style.red)
}

function poolLines(pool: PoolStatus, drawing: Drawing, nameWidth: number): string[] {
  const { name, state, updated, total, config, why, nodes } = pool
  const { style, width, reasonLines, grouped } = drawing
  const paints: Record<PoolStatus['state'], Paint> = {
    Updated: style.green,
    Updating: style.yellow,
    Starting: style.yellow,
    Paused: style.cyan,
    Degraded: style.red,
  }
  const columns = [name.padEnd(nameWidth), state.padEnd(9), `${updated}/${total}`.padEnd(6)]
  const plain = [...columns, shortConfigName(config)].join(' ')
  const [first, second, third] = columns
  const head =
    plain.length > width
      ? truncate(plain, width)
      : `${style.bold(first!)} ${paints[state](second!)} ${third} ${style.dim(shortConfigName(config))}`
  return [
    head.trimEnd(),
    ...reason(why, width, reasonLines, 4).map((line) => paints[state](line)),
    ...(grouped ? groups(nodes) : nodes.map((node) => [node])).flatMap((alike) =>
      nodeLines(alike, config, drawing, nameWidth),
    ),
  ]
}

/** Nodes that need no attention, grouped by activity and config; every other node alone. */
function groups(nodes: readonly NodeStatus[]): NodeStatus[][] {
  const alike = Map.groupBy(nodes, ({ name, state, activity, config, why }) => {
    const needsNothing = (state === 'ok' || state === 'waiting') && !why
    return needsNothing ? JSON.stringify([activity, config]) : name
  })
  return [...alike.values()]
}

const marks: Record<NodeStatus['state'], string> = {
  ok: '✓',
  waiting: '·',
  progressing: '…',
  failing: '!',
}

function nodeLines(
  alike: readonly NodeStatus[],
  desired: string | undefined,
  { style, width, reasonLines }: Drawing,
  nameWidth: number,
): string[] {
  const { state, activity, config, why } = alike[0]!
  const paints: Record<NodeStatus['state'], Paint> = {
    ok: style.dim,
    waiting: style.dim,
    progressing: style.yellow,
    failing: style.red,
  }
  const paint = paints[state]
  const behind =
    config !== desired && config !== undefined ? ` (in ${shortConfigName(config)})` : ''
  const name = alike.map((node) => node.name).join(', ')
  const text = truncate(
    `  ${marks[state]} ${name.padEnd(nameWidth - 4)} ${activity}${behind}`,
    width,
  )
  return [paint(text), ...reason(why ?? '', width, reasonLines, 6).map(paint)]
}

/** A reason in at most `maxLines` lines. */
function reason(text: string, width: number, maxLines: number, indent: number): string[] {
  if (text === '') return []
  const room = width - indent
  const lines = wrapText(escapeControls(shortenConfigNames(text.replaceAll(/\s+/g, ' '))), room)
  const shown = lines.slice(0, maxLines)
  if (lines.length > maxLines) {
    const last = `${shown[maxLines - 1]} …`
    shown[maxLines - 1] = last.length <= room ? last : `${last.slice(0, room - 2)} …`
  }
  return shown.map((line) => ' '.repeat(indent) + truncate(line, room))
}
