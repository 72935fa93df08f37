import { randomBytes } from 'node:crypto'
import { constants, fstatSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { ApiFailure } from '@machinist/kube/failure'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import type { Disk, OpenFile } from '../../../src/daemon/host/files/disk.ts'
import { realDisk } from '../../../src/daemon/host/files/disk.ts'

/** Texts that can only come from a secret, by kind. */
export class Canaries {
  readonly #known = new Map<string, string>()

  /** A new one on each call. */
  make(what: string): string {
    const text = `canary${randomBytes(12).toString('hex')}`
    this.know(what, text)
    return text
  }

  know(what: string, text: string): void {
    for (const spelling of spellingsOf(text)) this.#known.set(spelling, what)
  }

  /** The canaries in a text, in any encoding. */
  in(text: string): string[] {
    const found = [...this.#known].flatMap(([spelling, what]) =>
      text.includes(spelling) ? [what] : [],
    )
    return [...new Set(found)]
  }
}

/** Plain, in base64, and in base64 of base64, at any offset. */
function spellingsOf(text: string): string[] {
  const once = inBase64(text)
  return [text, ...once, ...once.flatMap(inBase64)]
}

/** Only the characters that do not depend on the surrounding text. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + text).toString('base64')
    return encoded.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1)
  })
}

/** The state of the connection to the API server. */
export type Weather = 'fair' | 'refusing' | 'failing' | 'down' | 'cutting'

/** A connection to an API server that quotes rejected requests and truncates responses. */
export class Stormy implements Transport {
  readonly #inner: Transport
  readonly #weather: () => Weather

  constructor(inner: Transport, weather: () => Weather) {
    this.#inner = inner
    this.#weather = weather
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const weather = this.#weather()
    const { method, path, body } = request
    // Reports must arrive, so that they can be checked.
    if (weather === 'fair' || path.endsWith('/events')) return this.#inner.request(request)
    const message = `Invalid value: ${JSON.stringify(body)}`
    const isWrite = method !== 'GET'
    if (weather === 'down' || (weather === 'failing' && isWrite)) {
      throw new ApiFailure(request, 500, { reason: 'InternalError', message })
    }
    if (weather === 'refusing' && isWrite) {
      throw new ApiFailure(request, 422, { reason: 'Invalid', message })
    }
    const answer = await this.#inner.request(request)
    if (weather !== 'cutting') return answer
    return { ...answer, body: answer.body.subarray(0, answer.body.byteLength >> 1) }
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  close(): void {
    this.#inner.close()
  }
}

/** A disk that can become read-only, and that detects secrets that others could read while they were written. */
export class WatchedDisk {
  isReadOnly = false
  /** Paths at which other users could read a secret, and when. */
  readonly exposed: string[] = []
  /** Number of written secrets. */
  secrets = 0
  readonly disk: Disk
  readonly #isSecret: (text: string) => boolean

  constructor(isSecret: (text: string) => boolean) {
    this.#isSecret = isSecret
    this.disk = new Proxy<Disk>(realDisk, {
      get: (disk, call: keyof Disk) => {
        if (call === 'open') {
          const open: Disk['open'] = async (path, flags, mode) => {
            if (flags & (constants.O_WRONLY | constants.O_RDWR)) this.#refuse('open', path)
            return this.#watched(await disk.open(path, flags, mode), path)
          }
          return open
        }
        const plain = disk[call] as (...args: unknown[]) => Promise<unknown>
        if (call === 'lstat' || call === 'readlink' || call === 'readdir') return plain
        return async (...args: unknown[]) => {
          this.#refuse(call, String(args[0]))
          return plain(...args)
        }
      },
    })
  }

  #refuse(call: string, path: string): void {
    if (!this.isReadOnly) return
    const error = new Error(`EROFS: read-only file system, ${call} '${path}'`)
    throw Object.assign(error, { code: 'EROFS', syscall: call, path })
  }

  #watched(file: OpenFile, path: string): OpenFile {
    let holdsSecret = false
    const look = (when: string): void => {
      const { mode } = fstatSync(file.fd)
      if (holdsSecret && (mode & 0o077) !== 0) {
        this.exposed.push(`${path.split('/').at(-1)} ${(mode & 0o777).toString(8)} ${when}`)
      }
    }
    return {
      fd: file.fd,
      stat: () => file.stat(),
      read: (limit) => file.read(limit),
      write: async (content) => {
        const isSecret = this.#isSecret(plain(content))
        holdsSecret ||= isSecret
        if (isSecret) this.secrets++
        look('before its first byte')
        await file.write(content)
        look('with its content')
      },
      chmod: async (mode) => {
        await file.chmod(mode)
        look('with its permissions')
      },
      chown: (uid, gid) => file.chown(uid, gid),
      sync: () => file.sync(),
      close: () => file.close(),
    }
  }
}

/** The daemon compresses its journal. */
export function plain(content: Uint8Array): string {
  const isPacked = content[0] === 0x1f && content[1] === 0x8b
  return (isPacked ? gunzipSync(content) : Buffer.from(content)).toString('latin1')
}
