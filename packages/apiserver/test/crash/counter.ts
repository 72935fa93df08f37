import type { HttpsCalls } from './https-calls.ts'
import { configMaps } from './stage.ts'

/** Increments an object that other counters increment too: no increment may be lost. */
export class Counter {
  /** Acknowledged increments. */
  done = 0
  /** Attempted increments. */
  tried = 0

  async writeOn(calls: HttpsCalls): Promise<void> {
    const path = `${configMaps.path}/counter`
    for (;;) {
      let code
      try {
        const { body } = await calls.call('GET', path)
        const { name, resourceVersion } = body.metadata
        const count = String(Number(body.data?.['count']) + 1)
        this.tried++
        const changed = { metadata: { name, resourceVersion }, data: { count } }
        code = (await calls.call('PUT', path, changed)).code
      } catch {
        return
      }
      if (code === 200) this.done++
      else if (code === 409) this.tried--
      else throw new Error(`PUT ${path}: ${code}`)
    }
  }
}
