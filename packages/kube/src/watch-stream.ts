import { isObject } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/resource'
import type { Asked } from './failure.ts'
import { ConnectionFailure, UnreadableEvent } from './failure.ts'
import type { WatchEvent } from './list-watch.ts'
import { failureInEvent } from './transport-failure.ts'
import { StreamRetired } from './transport.ts'
import { LineNotUtf8, LineSplitter, LineTooLong } from './watch-stream-lines.ts'

export interface WatchStreamOptions {
  readonly asked: Asked
  readonly logger?: Logger
  /** An object longer than this is refused; 16 MiB, ten times what etcd stores. */
  readonly maxLineBytes?: number
}

/**
 * The events in the bytes of a watch. Ends when the bytes end between two lines, or when the transport retired the
 * stream for newer credentials: in both cases the caller goes on from the last version it saw.
 */
export async function* watchEvents<T extends KubeObject>(
  bytes: AsyncIterable<Uint8Array>,
  options: WatchStreamOptions,
): AsyncGenerator<WatchEvent<T>> {
  const lines = new LineSplitter(options.maxLineBytes ?? 16 << 20)
  try {
    for await (const chunk of bytes) {
      for (const line of lines.push(chunk)) {
        const event = eventIn(line, options)
        if (event) yield event as WatchEvent<T>
      }
    }
  } catch (error) {
    if (error instanceof StreamRetired) return
    const unreadable = error instanceof LineTooLong || error instanceof LineNotUtf8
    throw unreadable ? broken(options, error.message) : error
  }
  if (lines.pending > 0) {
    throw new ConnectionFailure(options.asked, 'the connection ended in the middle of an event')
  }
}

function eventIn(line: string, options: WatchStreamOptions): WatchEvent<KubeObject> | undefined {
  const { type, object } = parsed(line, options)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: complete(object, options) }
    case 'BOOKMARK':
      return { type, resourceVersion: versionOf(whole(object, options), options) }
    case 'ERROR':
      throw failureInEvent(options.asked, object)
    default:
      options.logger?.debug('watch event of an unknown type was left out', { type })
      return undefined
  }
}

function parsed(line: string, options: WatchStreamOptions): Record<string, unknown> {
  const value = json(line)
  if (!isObject(value) || typeof value['type'] !== 'string') {
    throw broken(options, 'a line of the stream is not a watch event')
  }
  return value
}

function json(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function whole(object: unknown, options: WatchStreamOptions): KubeObject {
  if (isObject(object) && isObject(object['metadata'])) return object as unknown as KubeObject
  throw broken(options, 'an event carries no object')
}

/** Without a name an object would be filed under nothing, without a version nobody could go on after it. */
function complete(object: unknown, options: WatchStreamOptions): KubeObject {
  const read = whole(object, options)
  const { name, resourceVersion } = read.metadata
  if (typeof name === 'string' && typeof resourceVersion === 'string') return read
  throw broken(options, 'an event carries an object without a name or resourceVersion')
}

function versionOf(object: KubeObject, options: WatchStreamOptions): string {
  const version = object.metadata.resourceVersion
  if (typeof version !== 'string') throw broken(options, 'a bookmark carries no resourceVersion')
  return version
}

const broken = (options: WatchStreamOptions, why: string): UnreadableEvent =>
  new UnreadableEvent(options.asked, why)
