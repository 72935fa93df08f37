import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import type { RecordedRequest } from './recorded-request.ts'
import { fromAuditLog } from './recorded-request.ts'

/** kube-apiserver's audit log. It is polled often, so each call reads only the new part. */
export class AuditLog {
  readonly #path: string
  readonly #recorded: RecordedRequest[] = []
  #end = 0

  constructor(path: string) {
    this.#path = path
  }

  recorded(): RecordedRequest[] {
    const fresh = this.#fresh()
    // The last line may be incomplete.
    const whole = fresh.subarray(0, fresh.lastIndexOf('\n') + 1)
    this.#end += whole.length
    for (const line of whole.toString().split('\n')) {
      const request = line === '' ? undefined : fromAuditLog(line)
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
