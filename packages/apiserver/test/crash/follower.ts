import type { IncomingMessage } from 'node:http'
import type { HttpsCalls, Wire } from './https-calls.ts'
import type { Held } from './ledger.ts'
import { held } from './writer.ts'

interface Event {
  readonly type: string
  readonly object: Wire
}

/** Lists once, then watches and resumes from its last version after each crash. */
export class Follower {
  readonly objects = new Map<string, Held>()
  /** `name version` of all received events. */
  readonly received = new Set<string>()
  /** Errors: duplicate events, wrong order, or events that do not fit the objects. */
  readonly wrong: string[] = []
  readonly path: string
  #version = 0
  #stream: IncomingMessage | undefined

  constructor(path: string) {
    this.path = path
  }

  get version(): number {
    return this.#version
  }

  async list(calls: HttpsCalls): Promise<void> {
    const { body } = await calls.call('GET', this.path)
    for (const item of body.items) this.objects.set(item.metadata.name, held(item))
    this.#version = Number(body.metadata.resourceVersion)
  }

  /** Watches until the connection breaks. */
  async follow(calls: HttpsCalls): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#version}`
    try {
      this.#stream = await calls.open('GET', `${this.path}?${query}`)
      let rest = ''
      for await (const chunk of this.#stream.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop()!
        for (const line of lines) this.#hear(JSON.parse(line) as Event)
      }
    } catch (error) {
      // The server died; events received before count.
      if (error instanceof SyntaxError) this.wrong.push(error.message)
    }
  }

  stop(): void {
    this.#stream?.destroy()
  }

  #hear({ type, object }: Event): void {
    const version = Number(object.metadata.resourceVersion)
    if (type === 'BOOKMARK') {
      this.#version = Math.max(this.#version, version)
      return
    }
    const { name } = object.metadata
    const before = this.objects.get(name)
    const fits = type === 'ADDED' ? !before : before?.uid === object.metadata.uid
    const known = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED'
    if (!known || version <= this.#version || !fits) {
      this.wrong.push(
        `${type} ${name} ${version} after ${this.#version}: ${JSON.stringify(object)}`,
      )
    }
    this.#version = version
    this.received.add(`${name} ${version}`)
    if (type === 'DELETED') this.objects.delete(name)
    else this.objects.set(name, held(object))
  }
}
