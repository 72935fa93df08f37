import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Recorded } from './recorded.ts'
import { recordedThere } from './recorded.ts'

/** What kube-apiserver writes down of every request. It is looked at all the time, so only what is new is read. */
export class AuditLog {
  readonly #path: string
  readonly #recorded: Recorded[] = []
  #end = 0

  constructor(path: string) {
    this.#path = path
  }

  recorded(): Recorded[] {
    const fresh = this.#fresh()
    // The last line may be half written.
    const whole = fresh.subarray(0, fresh.lastIndexOf('\n') + 1)
    this.#end += whole.length
    for (const line of whole.toString().split('\n')) {
      const request = line === '' ? undefined : recordedThere(line)
      if (request) this.#recorded.push(request)
    }
    return this.#recorded
  }

  #fresh(): Buffer {
    if (!existsSync(this.#path)) return Buffer.alloc(0)
    const file = openSync(this.#path, 'r')
    try {
      const fresh = Buffer.alloc(fstatSync(file).size - this.#end)
      readSync(file, fresh, 0, fresh.length, this.#end)
      return fresh
    } finally {
      closeSync(file)
    }
  }
}
