import { shortConfigName, shortenConfigNames } from '../config-names.ts'
import type {
  ClusterStatus,
  InputStatus,
  NodeStatus,
  PoolStatus,
  RotationStatus,
} from './cluster-status.ts'

export const rotationHead = ({ name, phase, trusting, total }: RotationStatus): string =>
  `rotation ${name}: ${phase} ${trusting}/${total}`

export const inputHead = ({ name }: InputStatus): string =>
  `input ${name}: degraded, the last valid value stays in use`

/** Pure: the changes since the previous status, one line each: for logs and pipes. */
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
  const known = new Set(before.map(rotationLine))
  const over = before.filter(({ name }) => !after.some((rotation) => rotation.name === name))
  return [
    ...after.map(rotationLine).filter((line) => !known.has(line)),
    ...over.map(({ name }) => `rotation ${name}: done`),
  ]
}

function rotationLine(rotation: RotationStatus): string {
  const { why } = rotation
  return `${rotationHead(rotation)}${why === '' ? '' : `: ${oneLine(why)}`}`
}

function poolLine({ name, state, updated, total, config, why }: PoolStatus): string {
  // The estimated end of a rollout changes all the time.
  const stable = why.replace(/\.? ?Expected to end at about \S+/, '')
  const reason = stable === '' ? '' : `: ${oneLine(stable)}`
  return `pool ${name}: ${state} ${updated}/${total} in ${shortConfigName(config)}${reason}`
}

function nodeLine({ name, activity, config, why }: NodeStatus): string {
  return `node ${name}: ${activity}, ${shortConfigName(config)}${why ? `: ${oneLine(why)}` : ''}`
}

const oneLine = (text: string): string => shortenConfigNames(text).replaceAll(/\s+/g, ' ')
