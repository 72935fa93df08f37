import type { Paint, Style } from '../style.ts'
import { harmless, wrapped } from '../style.ts'
import type {
  ClusterStatus,
  InputStatus,
  NodeStatus,
  PoolStatus,
  RotationStatus,
} from '../../views/status/status-facts.ts'

export interface Canvas {
  readonly style: Style
  readonly width: number
  /** How many lines fit; all of them unless given. */
  readonly lines?: number
}

/** How much of the status a picture shows. */
interface Detail {
  /** Lines of a reason. */
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

/** Pure: the status as a picture that is redrawn, with as much detail as the canvas has lines for. */
export function statusPicture(status: ClusterStatus, canvas: Canvas): string[] {
  const { lines = Infinity } = canvas
  let picture: string[] = []
  for (const detail of details) {
    picture = drawn(status, { ...canvas, ...detail })
    if (picture.length <= lines) break
  }
  return picture
}

type Drawing = Canvas & Detail

function drawn(status: ClusterStatus, drawing: Drawing): string[] {
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
  const { mood, why } = rotation
  const paint = { busy: style.yellow, bad: style.red }[mood]
  return [cut(rotationHead(rotation), width), ...reason(why, width, reasonLines, 4)].map(paint)
}

const rotationHead = ({ name, phase, trusting, total }: RotationStatus): string =>
  `rotation ${name}: ${phase} ${trusting}/${total}`

function inputLines(input: InputStatus, { style, width, reasonLines }: Drawing): string[] {
  const { why } = input
  return [cut(inputHead(input), width), ...reason(why, width, reasonLines, 4)].map(style.red)
}

const inputHead = ({ name }: InputStatus): string =>
  `input ${name}: degraded, the last valid value stays in use`

function poolLines(pool: PoolStatus, drawing: Drawing, nameWidth: number): string[] {
  const { name, state, updated, total, config, why, nodes } = pool
  const { style, width, reasonLines, grouped } = drawing
  const moods: Record<PoolStatus['state'], Paint> = {
    Updated: style.green,
    Updating: style.yellow,
    Starting: style.yellow,
    Paused: style.cyan,
    Degraded: style.red,
  }
  const columns = [name.padEnd(nameWidth), state.padEnd(9), `${updated}/${total}`.padEnd(6)]
  const plain = [...columns, shortName(config)].join(' ')
  const [first, second, third] = columns
  const head =
    plain.length > width
      ? cut(plain, width)
      : `${style.bold(first!)} ${moods[state](second!)} ${third} ${style.dim(shortName(config))}`
  return [
    head.trimEnd(),
    ...reason(why, width, reasonLines, 4).map((line) => moods[state](line)),
    ...(grouped ? groups(nodes) : nodes.map((node) => [node])).flatMap((alike) =>
      nodeLines(alike, config, drawing, nameWidth),
    ),
  ]
}

/** Nodes that do the same and have no reason to show, together; all others alone. */
function groups(nodes: readonly NodeStatus[]): NodeStatus[][] {
  const alike = Map.groupBy(nodes, ({ name, mood, doing, config, why }) => {
    const needsNothing = (mood === 'well' || mood === 'waiting') && !why
    return needsNothing ? JSON.stringify([doing, config]) : name
  })
  return [...alike.values()]
}

const marks: Record<NodeStatus['mood'], string> = { well: '✓', waiting: '·', busy: '…', bad: '!' }

function nodeLines(
  alike: readonly NodeStatus[],
  wanted: string | undefined,
  { style, width, reasonLines }: Drawing,
  nameWidth: number,
): string[] {
  const { mood, doing, config, why } = alike[0]!
  const paint = { well: style.dim, waiting: style.dim, busy: style.yellow, bad: style.red }[mood]
  const behind = config !== wanted && config !== undefined ? ` (in ${shortName(config)})` : ''
  const name = alike.map((node) => node.name).join(', ')
  const text = cut(`  ${marks[mood]} ${name.padEnd(nameWidth - 4)} ${doing}${behind}`, width)
  return [paint(text), ...reason(why ?? '', width, reasonLines, 6).map(paint)]
}

/** A reason in at most this many lines. */
function reason(text: string, width: number, most: number, indent: number): string[] {
  if (text === '') return []
  const room = width - indent
  const lines = wrapped(harmless(abbreviated(text.replaceAll(/\s+/g, ' '))), room)
  const shown = lines.slice(0, most)
  if (lines.length > most) shown[most - 1] = cut(`${shown[most - 1]} …`, room, true)
  return shown.map((line) => ' '.repeat(indent) + cut(line, room))
}

function cut(text: string, width: number, keepEnd = false): string {
  if (text.length <= width) return text
  return keepEnd ? `${text.slice(0, width - 2)} …` : `${text.slice(0, width - 1)}…`
}

const digest = /\brendered-([a-z0-9.-]+)-([0-9a-f]{32,64})\b/g

/** Names of rendered configs, short enough for a line. */
function abbreviated(text: string): string {
  return text.replaceAll(digest, (_all, pool: string, hex: string) => `${pool}-${hex.slice(0, 8)}…`)
}

const shortName = (config: string | undefined): string =>
  config === undefined ? 'no config yet' : abbreviated(config)

/** Pure: what is new, one line per change: for logs and pipes. */
export function statusChanges(before: ClusterStatus | undefined, after: ClusterStatus): string[] {
  const { pools, rotations, badInputs } = before ?? { pools: [], rotations: [], badInputs: [] }
  const known = new Map(pools.map((pool) => [pool.name, pool]))
  return [
    ...after.pools.flatMap((pool) => poolChanges(known.get(pool.name), pool)),
    ...rotationChanges(rotations, after.rotations),
    ...inputChanges(badInputs, after.badInputs),
  ]
}

function inputChanges(before: readonly InputStatus[], after: readonly InputStatus[]): string[] {
  const line = (input: InputStatus): string => `${inputHead(input)}: ${oneLine(input.why)}`
  const known = new Set(before.map(line))
  const recovered = before.filter(({ name }) => !after.some((input) => input.name === name))
  return [
    ...after.map(line).filter((each) => !known.has(each)),
    ...recovered.map(({ name }) => `input ${name}: recovered`),
  ]
}

function poolChanges(before: PoolStatus | undefined, after: PoolStatus): string[] {
  const lines: string[] = []
  const line = poolLine(after)
  if (!before || poolLine(before) !== line) lines.push(line)
  for (const node of after.nodes) {
    const known = before?.nodes.find(({ name }) => name === node.name)
    if (!known || nodeLine(known) !== nodeLine(node)) lines.push(nodeLine(node))
  }
  for (const { name } of before?.nodes ?? []) {
    if (!after.nodes.some((node) => node.name === name)) lines.push(`node ${name}: gone`)
  }
  return lines
}

function rotationChanges(
  before: readonly RotationStatus[],
  after: readonly RotationStatus[],
): string[] {
  const told = new Set(before.map(rotationLine))
  const over = before.filter(({ name }) => !after.some((rotation) => rotation.name === name))
  return [
    ...after.map(rotationLine).filter((line) => !told.has(line)),
    ...over.map(({ name }) => `rotation ${name}: done`),
  ]
}

function rotationLine(rotation: RotationStatus): string {
  const { why } = rotation
  return `${rotationHead(rotation)}${why === '' ? '' : `: ${oneLine(why)}`}`
}

function poolLine({ name, state, updated, total, config, why }: PoolStatus): string {
  // When it is expected to end changes all the time.
  const said = why.replace(/\.? ?Expected to end at about \S+/, '')
  const reason = said === '' ? '' : `: ${oneLine(said)}`
  return `pool ${name}: ${state} ${updated}/${total} in ${shortName(config)}${reason}`
}

function nodeLine({ name, doing, config, why }: NodeStatus): string {
  return `node ${name}: ${doing}, ${shortName(config)}${why ? `: ${oneLine(why)}` : ''}`
}

const oneLine = (text: string): string => harmless(abbreviated(text).replaceAll(/\s+/g, ' '))
