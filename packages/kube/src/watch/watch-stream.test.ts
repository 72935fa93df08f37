import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { ApiFailure, ConnectionFailure, UnreadableEvent } from '../failure.ts'
import type { WatchEvent } from '../list-watch.ts'
import { StreamRetired } from '../transport/transport.ts'
import { watchEvents } from './watch-stream.ts'

const request = { method: 'WATCH', path: '/api/v1/nodes' }

async function* stream(
  chunks: Iterable<string | Uint8Array>,
  end?: Error,
): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  if (end) throw end
}

interface Read {
  readonly events: WatchEvent<KubeObject>[]
  readonly failure?: unknown
}

async function read(
  bytes: AsyncIterable<Uint8Array>,
  options: { maxLineBytes?: number; logger?: Logger } = {},
): Promise<Read> {
  const events: WatchEvent<KubeObject>[] = []
  try {
    for await (const event of watchEvents(bytes, { request, ...options })) events.push(event)
    return { events }
  } catch (failure) {
    return { events, failure }
  }
}

const added = (name: string): string =>
  `{"type":"ADDED","object":{"kind":"Node","metadata":{"name":"${name}","resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z"}}}\n`
const addedEvent = (name: string): object => ({
  type: 'ADDED',
  object: {
    kind: 'Node',
    metadata: { name, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  },
})

describe('events', () => {
  it('are parsed from lines, with objects as sent', async () => {
    const { events, failure } = await read(
      stream([
        added('a') + added('b').replace('ADDED', 'MODIFIED'),
        added('c').replace('ADDED', 'DELETED'),
        '{"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"12746"}}}\n',
      ]),
    )
    expect(failure).toBeUndefined()
    expect(events).toEqual([
      addedEvent('a'),
      { ...addedEvent('b'), type: 'MODIFIED' },
      { ...addedEvent('c'), type: 'DELETED' },
      { type: 'BOOKMARK', resourceVersion: '12746' },
    ])
  })

  it('are yielded before the stream ends', async () => {
    const never = new Promise<IteratorResult<Uint8Array>>(() => {})
    const chunks = [Buffer.from(added('a'))]
    const bytes: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const value = chunks.shift()
          return value ? Promise.resolve({ done: false, value }) : never
        },
      }),
    }
    const first = await watchEvents(bytes, { request }).next()
    expect(first).toEqual({ done: false, value: addedEvent('a') })
  })

  it('of an unknown type are ignored and logged at debug level', async () => {
    const logged: unknown[] = []
    const logger = { ...silentLogger, debug: (...word: unknown[]) => void logged.push(word) }
    const chunks = ['{"type":"NOVEL"}\n', '\n', '\r\n', added('a')]
    const { events } = await read(stream(chunks), { logger })
    expect(events).toEqual([addedEvent('a')])
    expect(logged).toEqual([['ignored a watch event of an unknown type', { type: 'NOVEL' }]])
  })

  it('can be an ERROR: the version is too old', async () => {
    // As sent by kube-apiserver, with HTTP 200.
    const line =
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 20 (267)","reason":"Expired","code":410}}\n'
    const { events, failure } = await read(stream([added('a') + line]))
    expect(events).toHaveLength(1)
    expect(failure).toBeInstanceOf(ApiFailure)
    expect(failure).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'WATCH /api/v1/nodes: too old resource version: 20 (267)',
    })
  })

  it('can be an ERROR without a Status', async () => {
    const { failure } = await read(stream(['{"type":"ERROR","object":"no"}\n']))
    expect(failure).toMatchObject({ code: 500, reason: '' })
  })
})

describe('the end of the stream', () => {
  it('between two lines is normal', async () => {
    expect(await read(stream([added('a')]))).toEqual({ events: [addedEvent('a')] })
    expect(await read(stream([]))).toEqual({ events: [] })
  })

  it('in the middle of a line is a failure', async () => {
    const { events, failure } = await read(stream([added('a'), added('b').slice(0, -5)]))
    expect(events).toEqual([addedEvent('a')])
    expect(failure).toBeInstanceOf(ConnectionFailure)
    // A resume from the same version may succeed.
    expect(failure).not.toBeInstanceOf(UnreadableEvent)
    expect(String(failure)).toContain('the connection ended in the middle of an event')
  })

  it('for newer credentials is normal, also within a line', async () => {
    const chunks = [added('a'), added('b').slice(0, -5)]
    expect(await read(stream(chunks, new StreamRetired()))).toEqual({ events: [addedEvent('a')] })
  })

  it('throws the error of the connection', async () => {
    const cut = new ConnectionFailure(request, 'cut')
    expect(await read(stream([added('a')], cut))).toEqual({
      events: [addedEvent('a')],
      failure: cut,
    })
  })
})

describe('a line that is not an event', () => {
  it.each([
    ['not JSON', 'oops\n', 'a line of the stream is not a watch event'],
    ['JSON, but not an event', '[1]\n', 'a line of the stream is not a watch event'],
    ['without an object', '{"type":"ADDED"}\n', 'an event has no object'],
    ['without metadata', '{"type":"ADDED","object":{}}\n', 'an event has no object'],
    [
      'an object without name',
      '{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}\n',
      'an event has an object without name or resourceVersion',
    ],
    [
      'an object without version',
      '{"type":"DELETED","object":{"metadata":{"name":"a"}}}\n',
      'an event has an object without name or resourceVersion',
    ],
    [
      'without a name',
      '{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}\n',
      'an event has an object without name or resourceVersion',
    ],
    [
      'without a version',
      '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n',
      'an event has an object without name or resourceVersion',
    ],
    [
      'a bookmark without version',
      '{"type":"BOOKMARK","object":{"metadata":{}}}\n',
      'a bookmark has no resourceVersion',
    ],
  ])('%s', async (_, line, message) => {
    const { events, failure } = await read(stream([added('a'), line]))
    expect(events).toEqual([addedEvent('a')])
    expect(failure).toBeInstanceOf(UnreadableEvent)
    expect(failure).toHaveProperty('message', `WATCH /api/v1/nodes: ${message}`)
  })

  it('not UTF-8', async () => {
    const line = Buffer.from(added('?'))
    line[line.indexOf('?')] = 0xff
    const { events, failure } = await read(stream([added('a'), line]))
    expect(events).toEqual([addedEvent('a')])
    expect(failure).toHaveProperty('message', 'WATCH /api/v1/nodes: a line is not UTF-8')
  })

  it('not text', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"type":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n'),
    ])
    const { failure } = await read(stream([bytes]))
    expect(failure).toBeInstanceOf(UnreadableEvent)
    expect(failure).toHaveProperty('message', 'WATCH /api/v1/nodes: a line is not UTF-8')
  })

  it('too long, with or without an end', async () => {
    for (const line of [added('x'.repeat(2000)), 'x'.repeat(2000)]) {
      const { failure } = await read(stream([added('a'), line]), { maxLineBytes: 1000 })
      expect(failure).toBeInstanceOf(UnreadableEvent)
      expect(String(failure)).toContain('a line is longer than 1000 bytes')
    }
    const { events } = await read(stream([added('a')]), { maxLineBytes: added('a').length - 1 })
    expect(events).toHaveLength(1)
  })
})

describe('chunks', () => {
  const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 8 })
  const line = (name: string): string =>
    `${JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '7' } } })}\n`

  it('can be split anywhere, also inside a character', async () => {
    await fc.assert(
      fc.asyncProperty(names, fc.array(fc.integer({ min: 1, max: 9 })), async (expected, sizes) => {
        const bytes = Buffer.from(expected.map(line).join(''))
        const chunks: Uint8Array[] = []
        for (let from = 0, i = 0; from < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1
          chunks.push(bytes.subarray(from, from + size))
          from += size
        }
        const { events, failure } = await read(stream(chunks))
        expect(failure).toBeUndefined()
        expect(events.map((event) => 'object' in event && event.object.metadata.name)).toEqual(
          expected,
        )
      }),
      { numRuns: 200 },
    )
  })

  it('of any bytes result in events or a failure', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(
        added('a'),
        '\n',
        '{"type":',
        '{"type":"ERROR"}\n',
        '{"type":"BOOKMARK","object":1}\n',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
        const { failure } = await read(stream(pieces), { maxLineBytes: 200 })
        const expected =
          failure === undefined ||
          failure instanceof ConnectionFailure ||
          failure instanceof ApiFailure
        expect(expected).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('of one long line are searched once', async () => {
    // Counts searched bytes, not seconds: a quadratic reader would search about 290 MB.
    const long = Buffer.from(line('x'.repeat(3_000_000)))
    let searched = 0
    class Counted extends Uint8Array {
      override indexOf(byte: number, from = 0): number {
        searched += this.length - from
        return super.indexOf(byte, from)
      }
    }
    const chunks: Uint8Array[] = []
    for (let from = 0; from < long.length; from += 16_384) {
      chunks.push(new Counted(long.subarray(from, from + 16_384)))
    }
    const { events, failure } = await read(stream(chunks))
    expect(failure).toBeUndefined()
    expect(events).toHaveLength(1)
    expect(searched).toBeLessThan(long.length * 2)
  })
})
