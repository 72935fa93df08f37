import { isObject } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { RequestLine } from '../failure.ts'
import { ConnectionFailure, UnreadableEvent } from '../failure.ts'
import type { WatchEvent } from '../list-watch.ts'
import { eventFailure } from '../transport/transport-failure.ts'
import { StreamRetired } from '../transport/transport.ts'
import { LineNotUtf8, LineSplitter, LineTooLong } from './lines.ts'

export interface WatchStreamOptions {
  readonly request: RequestLine
  readonly logger?: Logger
  /** Maximum length of a line; 16 MiB by default, ten times the object limit of etcd. */
  readonly maxLineBytes?: number
}

/**
 * Parses the events of a watch stream. Ends when the stream ends between two lines, or when the transport retires it for
 * newer credentials: in both cases the caller resumes from the last version.
 */
export async function* watchEvents<T extends KubeObject>(
  bytes: AsyncIterable<Uint8Array>,
  options: WatchStreamOptions,
): AsyncGenerator<WatchEvent<T>> {
  const lines = new LineSplitter(options.maxLineBytes ?? 16 << 20)
  try {
    for await (const chunk of bytes) {
      for (const line of lines.push(chunk)) {
        const event = parseEvent(line, options)
        if (event) yield event as WatchEvent<T>
      }
    }
  } catch (error) {
    if (error instanceof StreamRetired) return
    const unreadable = error instanceof LineTooLong || error instanceof LineNotUtf8
    throw unreadable ? unreadableEvent(options, error.message) : error
  }
  if (lines.pending > 0) {
    throw new ConnectionFailure(options.request, 'the connection ended in the middle of an event')
  }
}

function parseEvent(line: string, options: WatchStreamOptions): WatchEvent<KubeObject> | undefined {
  const { type, object } = parseLine(line, options)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: requireIdentifiedObject(object, options) }
    case 'BOOKMARK':
      return { type, resourceVersion: requireVersion(requireObject(object, options), options) }
    case 'ERROR':
      throw eventFailure(options.request, object)
    default:
      options.logger?.debug('ignored a watch event of an unknown type', { type })
      return undefined
  }
}

function parseLine(line: string, options: WatchStreamOptions): Record<string, unknown> {
  const value = jsonOrUndefined(line)
  if (!isObject(value) || typeof value['type'] !== 'string') {
    throw unreadableEvent(options, 'a line of the stream is not a watch event')
  }
  return value
}

function jsonOrUndefined(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function requireObject(object: unknown, options: WatchStreamOptions): KubeObject {
  if (isObject(object) && isObject(object['metadata'])) return object as unknown as KubeObject
  throw unreadableEvent(options, 'an event has no object')
}

/** The cache needs the name as key, and the version to resume the watch. */
function requireIdentifiedObject(object: unknown, options: WatchStreamOptions): KubeObject {
  const read = requireObject(object, options)
  const { name, resourceVersion } = read.metadata
  if (typeof name === 'string' && typeof resourceVersion === 'string') return read
  throw unreadableEvent(options, 'an event has an object without name or resourceVersion')
}

function requireVersion(object: KubeObject, options: WatchStreamOptions): string {
  const version = object.metadata.resourceVersion
  if (typeof version !== 'string')
    throw unreadableEvent(options, 'a bookmark has no resourceVersion')
  return version
}

const unreadableEvent = (options: WatchStreamOptions, problem: string): UnreadableEvent =>
  new UnreadableEvent(options.request, problem)
