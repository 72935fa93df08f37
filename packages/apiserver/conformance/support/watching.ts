import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import type { Body } from './api.ts'

export interface Seen {
  readonly type: string
  readonly object: Body
}

/** A running watch and its events. */
export class Watching {
  readonly code: number
  readonly contentType: string
  readonly #message: IncomingMessage
  readonly #lines: AsyncIterator<string>

  constructor(message: IncomingMessage) {
    this.#message = message
    this.code = message.statusCode ?? 0
    this.contentType = message.headers['content-type'] ?? ''
    this.#lines = createInterface({ input: message })[Symbol.asyncIterator]()
  }

  /** The next event, or undefined when the server has ended the watch. */
  async next(): Promise<Seen | undefined> {
    const line = await this.#lines.next()
    return line.done ? undefined : (JSON.parse(line.value) as Seen)
  }

  async take(count: number): Promise<Seen[]> {
    const seen: Seen[] = []
    while (seen.length < count) {
      const event = await this.next()
      if (!event) throw new Error(`the watch ended after ${seen.length} of ${count} events`)
      seen.push(event)
    }
    return seen
  }

  /** All events until the server ends the watch. */
  async rest(): Promise<Seen[]> {
    const seen: Seen[] = []
    for (let event = await this.next(); event; event = await this.next()) seen.push(event)
    return seen
  }

  close(): void {
    this.#message.destroy()
  }
}

/** `ADDED a`: a short form of events. */
export function brief(events: readonly Seen[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`)
}
