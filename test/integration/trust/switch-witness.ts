import { nodePaths } from '../../../src/api/node-paths.ts'
import type { HostFiles } from '../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { Sampler } from '../daemon/trust/delivery-cluster.ts'
import type { LaneHost } from './whole-lane.ts'

/** The CA files of both deliveries. */
export const paths = [nodePaths.kubeletCA, nodePaths.cloudCA] as const

const reader = await new Sampler().know(...'abcdefghijklmnopqrstuvwxyz'.split(''))
const known = new Map<string, string>()
/** Parses each text once. */
function lettersOf(text: string): string {
  const found = known.get(text) ?? reader.lettersOf(text)
  known.set(text, found)
  return found
}

const changing = new Set(['write', 'append', 'link', 'remove', 'move'])

/** Checks the CA files after every file operation of a machine. */
export class Witness {
  readonly host: LaneHost
  /** The violations, and the successive contents of each file, as letters. */
  readonly faults: string[] = []
  readonly seen = new Map<string, string[]>(paths.map((path) => [path, []]))
  readonly #machine: MemoryHost
  readonly #given: () => string

  /** `given`: the current CAs of the cluster. */
  constructor(name: string, given: () => string) {
    this.#machine = new MemoryHost({ name })
    this.#given = given
    const files = this.#watched()
    this.host = new Proxy<LaneHost>(this.#machine, {
      get: (machine, key) => {
        if (key === 'files') return files
        const member: unknown = Reflect.get(machine, key)
        return typeof member === 'function' ? (member.bind(machine) as unknown) : member
      },
    })
  }

  /** The current content of a file, as letters. */
  async holds(path: string): Promise<string> {
    const { files } = this.#machine
    if ((await files.stat(path))?.type !== 'file') return '-'
    return lettersOf(Buffer.from(await files.read(path)).toString())
  }

  #watched(): HostFiles {
    return new Proxy<HostFiles>(this.#machine.files, {
      get: (files, key) => {
        const member: unknown = Reflect.get(files, key)
        if (typeof member !== 'function') return member
        if (!changing.has(String(key))) return member.bind(files) as unknown
        return async (...args: unknown[]) => {
          const done: unknown = await (Reflect.apply(member, files, args) as Promise<unknown>)
          for (const path of paths) this.#look(path, await this.holds(path), String(key))
          return done
        }
      },
    })
  }

  #look(path: string, now: string, after: string): void {
    const seen = this.seen.get(path)!
    const before = seen.at(-1)
    if (now === before || (before === undefined && now === '-')) return
    seen.push(now)
    const given = this.#given()
    const isLost = (before ?? '').split('').some((ca) => given.includes(ca) && !now.includes(ca))
    if (isLost || !/^[a-z]+$/.test(now)) {
      this.faults.push(`${path}: ${before} → ${now} by ${after}, the cluster specifies ${given}`)
    }
  }
}
