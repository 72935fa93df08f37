import type { Paint, Style } from '../commands/plan-style.ts'
import { harmless, wrapped } from '../commands/plan-style.ts'
import type { ClusterStatus, NodeStatus, PoolStatus, RotationStatus } from './status-facts.ts'

/** Pure: the status as a picture that is redrawn, in lines of at most `width` characters. */
export function statusPicture(status: ClusterStatus, style: Style, width: number): string[] {
  const names = status.pools.flatMap((pool) => [pool.name, ...pool.nodes.map(({ name }) => name)])
  // Nodes are indented below their pools.
  const nameWidth = Math.max(8, ...names.map((name) => name.length)) + 4
  const rotations = status.rotations.flatMap((each) => rotationLines(each, style, width))
  const pools = status.pools.map((pool) => poolLines(pool, style, width, nameWidth))
  const blocks = rotations.length > 0 ? [...pools, rotations] : pools
  return blocks.flatMap((lines, i) => (i > 0 ? [''].concat(lines) : lines))
}

function rotationLines(rotation: RotationStatus, style: Style, width: number): string[] {
  const { mood, why } = rotation
  const paint = { busy: style.yellow, bad: style.red }[mood]
  return [cut(rotationHead(rotation), width), ...sentences(why, width, 2, 4)].map(paint)
}

const rotationHead = ({ name, phase, trusting, total }: RotationStatus): string =>
  `rotation ${name}: ${phase} ${trusting}/${total}`

function poolLines(
  { name, state, updated, total, config, why, nodes }: PoolStatus,
  style: Style,
  width: number,
  nameWidth: number,
): string[] {
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
    ...sentences(why, width, 3, 4).map((line) => moods[state](line)),
    ...nodes.flatMap((node) => nodeLines(node, config, style, width, nameWidth)),
  ]
}

function nodeLines(
  { name, mood, doing, config, why }: NodeStatus,
  wanted: string | undefined,
  style: Style,
  width: number,
  nameWidth: number,
): string[] {
  const paint = { well: style.dim, busy: style.yellow, bad: style.red }[mood]
  const mark = { well: '✓', busy: '…', bad: '!' }[mood]
  const behind = config !== wanted && config !== undefined ? ` (in ${shortName(config)})` : ''
  const text = cut(`  ${mark} ${name.padEnd(nameWidth - 4)} ${doing}${behind}`, width)
  return [paint(text), ...sentences(why ?? '', width, 2, 6).map(paint)]
}

/** A text in a few lines: whoever wants all of it asks kubectl. */
function sentences(text: string, width: number, most: number, indent: number): string[] {
  if (text === '') return []
  const room = width - indent
  const lines = wrapped(harmless(abbreviated(text)).replaceAll(/\s+/g, ' '), room)
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
  const { pools, rotations } = before ?? { pools: [], rotations: [] }
  const known = new Map(pools.map((pool) => [pool.name, pool]))
  return [
    ...after.pools.flatMap((pool) => poolChanges(known.get(pool.name), pool)),
    ...rotationChanges(rotations, after.rotations),
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
