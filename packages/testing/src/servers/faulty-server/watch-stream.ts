import type { ServerResponse } from 'node:http'
import type { FaultPlan, StreamFault } from './faults.ts'
import { statusOf } from './status.ts'

/** One open watch: writes lines until a fault, the server or the client closes it. */
export class WatchStream {
  readonly #response: ServerResponse
  readonly #plan: FaultPlan
  readonly #reset: () => void
  #quiet = false
  /** Lines that are queued behind a slow line. */
  #queued: string[] | undefined

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
    if (this.#queued) this.#queued.push(line)
    else this.#play(this.#plan.line(), line)
  }

  /** Applies a fault to this watch. */
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
        // Flush before the reset, so that the client receives the incomplete line.
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
    this.#queued = []
    const next = (at: number): void => {
      if (!this.open) return
      if (at < bytes.length) {
        this.#response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1))
        return
      }
      const queued = this.#queued ?? []
      this.#queued = undefined
      for (const later of queued) this.send(later)
    }
    next(0)
  }
}

/** The line with an invalid UTF-8 byte in the name of the object. */
function withBrokenByte(line: string): Uint8Array {
  const bytes = Buffer.from(line)
  bytes[line.indexOf('"name":"') + '"name":"'.length] = 0xff
  return bytes
}
