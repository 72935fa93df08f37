import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { NodeLine } from './facts.ts'

/** A log line of the daemon of a node, with its time in milliseconds since the epoch. */
export interface LoggedLine {
  readonly at: number
  readonly node: string
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** Pure: parses a log line; undefined if it is not from the daemon of a node. */
export function nodeLine(text: string): LoggedLine | undefined {
  const line = jsonOrUndefined(text)
  if (!isObject(line)) return undefined
  const { time, msg, node } = line
  if (typeof time !== 'string' || typeof node !== 'string' || isRuntimeLine(line)) return undefined
  return {
    at: Date.parse(time),
    node,
    message: String(msg),
    fields: Object.fromEntries(
      Object.entries(line)
        .filter(([key]) => !commonFields.has(key))
        .map(([key, value]) => [key, fieldText(value)]),
    ),
  }
}

/** Fields of every line, and those of a reconcile. */
const commonFields = new Set('time msg node level lane controller key reconcileID'.split(' '))

/** Lines about controllers and watches, which every daemon logs. A line with a reconcileID is of a lane. */
const isRuntimeLine = (line: object): boolean =>
  ('controller' in line && !('reconcileID' in line)) || 'informer' in line

/** Pure: the lines of one node since a time. */
export function linesOf(lines: readonly LoggedLine[], node: string, from: number): NodeLine[] {
  return lines
    .filter((line) => line.node === node && line.at >= from)
    .map(({ at, message, fields }) => ({ seconds: (at - from) / 1000, message, fields }))
}

/** Pure: whether the line reports a write to the disk. */
export const isSync = ({ message }: Pick<NodeLine, 'message'>): boolean =>
  message === updateApplied || message.startsWith(certificateSynced)

export const updateApplied = 'update applied'
export const certificateSynced = 'Certificate was synced from controllerconfig resourceVersion '

const fieldText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value)
