import type { ServerResponse } from 'node:http'
import type { FaultPlan, StreamFault } from './faults.ts'
import { statusOf } from './status.ts'

/** One open watch: writes lines until a fault, the server or the client ends it. */
export class WatchStream {
  readonly #response: ServerResponse
  readonly #plan: FaultPlan
  readonly #reset: () => void
  #quiet = false
  /** Lines that came while a slow one is still on its way. */
  #waiting: string[] | undefined

  constructor(response: ServerResponse, plan: FaultPlan, reset: () => void) {
    this.#response = response
    this.#plan = plan
    this.#reset = reset
  }

  get open(): boolean {
    return !this.#quiet && !this.#response.writableEnded && !this.#response.destroyed
  }

  send(line: string): void {
    if (!this.open) return
    if (this.#waiting) this.#waiting.push(line)
    else this.#play(this.#plan.line(), line)
  }

  /** Something happens to this watch right now. */
  apply(
    fault: StreamFault,
    line = '{"type":"MODIFIED","object":{"metadata":{"name":"n"}}}\n',
  ): void {
    if (this.open) this.#play(fault, line)
  }

  end(): void {
    if (this.open) this.#response.end()
  }

  #play(fault: StreamFault | undefined, line: string): void {
    switch (fault?.kind) {
      case undefined:
        return this.#write(line)
      case 'expired':
        return this.#fail(410, 'Expired', 'too old resource version: 1 (2)')
      case 'error':
        return this.#fail(fault.code, fault.reason, 'the watch failed')
      case 'silence':
        this.#quiet = true
        return
      case 'reset':
        return this.#reset()
      case 'reset-in-line':
        // What was written must leave before the reset, or the client never sees the torn line.
        this.#response.write(line.slice(0, line.length / 2), () => this.#reset())
        this.#quiet = true
        return
      case 'end':
        return void this.#response.end()
      case 'end-in-line':
        return void this.#response.end(line.slice(0, line.length / 2))
      case 'garbage':
        return this.#write(`${fault.text}\n`)
      case 'bad-utf8':
        return this.#write(withBrokenByte(line))
      case 'trickle':
        return this.#trickle(line)
      case 'twice':
        return this.#write(line + line)
      case 'endless-line':
        return this.#write(`{"type":"ADDED","object":{"kind":"${'x'.repeat(fault.bytes)}`)
    }
  }

  #write(text: string | Uint8Array): void {
    this.#response.write(text)
  }

  #fail(code: number, reason: string, message: string): void {
    const object = statusOf({ code, reason, message })
    this.#response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
  }

  #trickle(line: string): void {
    const bytes = Buffer.from(line)
    this.#waiting = []
    const next = (at: number): void => {
      if (!this.open) return
      if (at < bytes.length) {
        this.#response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1))
        return
      }
      const waited = this.#waiting ?? []
      this.#waiting = undefined
      for (const later of waited) this.send(later)
    }
    next(0)
  }
}

/** The line with one byte of its object's kind or name made impossible in UTF-8. */
function withBrokenByte(line: string): Uint8Array {
  const bytes = Buffer.from(line)
  bytes[line.indexOf('"name":"') + '"name":"'.length] = 0xff
  return bytes
}
