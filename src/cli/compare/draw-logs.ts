import { harmless, wrapped } from '../style.ts'
import type { Canvas } from './draw.ts'
import type { Comparison, NodeLine, Rotation } from '../../views/compare/facts.ts'
import { originalWords } from '../../views/compare/recognised.ts'
import { ways } from '../../views/compare/ways.ts'

/** Pure: what the daemons logged, on a node that is updated and on one that is paused. Never a line that nobody wrote. */
export function drawLogs(comparison: Comparison, canvas: Canvas): string[] {
  const { pools } = comparison
  const running = pools.findLast(({ paused }) => !paused)?.nodes[0]
  const paused = pools.find((pool) => pool.paused)?.nodes[0]
  return [
    ...(running === undefined ? [] : nodeLog(comparison, running, '', canvas)),
    ...(paused === undefined
      ? []
      : ['', ...nodeLog(comparison, paused, ', which is paused', canvas)]),
  ]
}

function nodeLog(comparison: Comparison, node: string, remark: string, canvas: Canvas): string[] {
  return [
    canvas.style.bold(`Log of ${node}${remark}`),
    ...(['rendered', 'direct'] as const).flatMap((way) => {
      const { heading, release } = ways[way]
      return [`  ${heading.join(' ')}`].concat(linesOf(comparison[way], node, release, canvas))
    }),
  ]
}

function linesOf(rotation: Rotation, node: string, release: string, canvas: Canvas): string[] {
  const log = rotation.nodes.find(({ name }) => name === node)?.log ?? []
  if (log.length === 0) return [canvas.style.dim('    not a line')]
  return log.flatMap((line) => lineOf(line, release, canvas))
}

const timeWidth = 8

function lineOf(line: NodeLine, release: string, { style, width }: Canvas): string[] {
  const time = `+${line.seconds.toFixed(1)} s`.padEnd(timeWidth)
  const indent = ' '.repeat(4 + timeWidth)
  const room = Math.max(width - indent.length, 20)
  const [first = '', ...more] = wrapped(harmless(textOf(line)), room)
  const words = originalWords(line)
  const original = words === undefined ? [] : wrapped(`OpenShift ${release}: ${words}`, room)
  return [
    `    ${style.dim(time)}${first}`,
    ...[...more, ...original.map((text) => style.cyan(text))].map((text) => `${indent}${text}`),
  ]
}

/** The message and its fields, with names of rendered configs cut short. */
function textOf({ message, fields }: NodeLine): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) =>
      `${key}=${/[\s"]/.test(value) || value === '' ? JSON.stringify(value) : value}`,
  )
  return [message, ...pairs].join(' ').replaceAll(renderedName, '$1…')
}

const renderedName = /\b(rendered-[a-z0-9.-]+-[0-9a-f]{8})[0-9a-f]{24,56}\b/g
