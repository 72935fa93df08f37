import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { NodeLine } from './facts.ts'

/** A line of a node's daemon, with its time in milliseconds since the epoch. */
export interface LoggedLine {
  readonly at: number
  readonly node: string
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** Pure: a line of the log, if it is one of a node's. */
export function nodeLine(text: string): LoggedLine | undefined {
  const line = jsonOrUndefined(text)
  if (!isObject(line)) return undefined
  const { time, msg, node, level: _level, lane: _lane, ...fields } = line
  if (typeof time !== 'string' || typeof node !== 'string' || isMachinery(fields)) return undefined
  return {
    at: Date.parse(time),
    node,
    message: String(msg),
    fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, inText(value)])),
  }
}

/** Loops that begin and end, watches that are opened again: whatever a daemon does, it has those. */
const isMachinery = (fields: object): boolean => 'controller' in fields || 'informer' in fields

/** Pure: what one node logged from this moment on. */
export function linesOf(lines: readonly LoggedLine[], node: string, from: number): NodeLine[] {
  return lines
    .filter((line) => line.node === node && line.at >= from)
    .map(({ at, message, fields }) => ({ seconds: (at - from) / 1000, message, fields }))
}

/** Pure: whether the daemon says here that it has brought something to the disk. */
export const isSync = ({ message }: Pick<NodeLine, 'message'>): boolean =>
  message === updateApplied || message.startsWith(certificateSynced)

export const updateApplied = 'update applied'
export const certificateSynced = 'Certificate was synced from controllerconfig resourceVersion '

const inText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value)
