import { escapeControls, wrapText } from '../../text/style.ts'
import type { Canvas } from '../../text/layout.ts'
import type { Comparison, NodeLine, ComparedRotation } from '../../../views/compare/facts.ts'
import { mcoLogLine } from '../../../views/compare/mco-log-lines.ts'
import { deliveries } from '../../../views/compare/deliveries.ts'

/** Pure: the log lines of the daemon on an updated node and on a paused node, exactly as logged. */
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
    ...(['rendered', 'direct'] as const).flatMap((delivery) => {
      const { heading, release } = deliveries[delivery]
      return [`  ${heading.join(' ')}`].concat(linesOf(comparison[delivery], node, release, canvas))
    }),
  ]
}

function linesOf(
  rotation: ComparedRotation,
  node: string,
  release: string,
  canvas: Canvas,
): string[] {
  const log = rotation.nodes.find(({ name }) => name === node)?.log ?? []
  if (log.length === 0) return [canvas.style.dim('    no log lines')]
  return log.flatMap((line) => lineOf(line, release, canvas))
}

const timeWidth = 8

function lineOf(line: NodeLine, release: string, { style, width }: Canvas): string[] {
  const time = `+${line.seconds.toFixed(1)} s`.padEnd(timeWidth)
  const indent = ' '.repeat(4 + timeWidth)
  const room = Math.max(width - indent.length, 20)
  const [first = '', ...more] = wrapText(escapeControls(textOf(line)), room)
  const mcoLine = mcoLogLine(line)
  const mcoLines = mcoLine === undefined ? [] : wrapText(`OpenShift ${release}: ${mcoLine}`, room)
  return [
    `    ${style.dim(time)}${first}`,
    ...[...more, ...mcoLines.map((text) => style.cyan(text))].map((text) => `${indent}${text}`),
  ]
}

/** The message and its fields, with shortened names of rendered configs. */
function textOf({ message, fields }: NodeLine): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) =>
      `${key}=${/[\s"]/.test(value) || value === '' ? JSON.stringify(value) : value}`,
  )
  return [message, ...pairs].join(' ').replaceAll(renderedName, '$1…')
}

const renderedName = /\b(rendered-[a-z0-9.-]+-[0-9a-f]{8})[0-9a-f]{24,56}\b/g
