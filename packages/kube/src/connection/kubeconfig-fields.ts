import { isAbsolute, join } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { Source } from './target.ts'

/**
 * Typed reading of one entry of a kubeconfig. Every complaint names file, entry and field, and never quotes a value:
 * it may be a secret.
 */
export class Fields {
  readonly file: string
  readonly #where: string
  readonly #members: Readonly<Record<string, unknown>>

  constructor(file: string, where: string, value: unknown) {
    this.file = file
    this.#where = where
    if (value !== undefined && value !== null && !isObject(value)) {
      throw this.wrong('', 'must be a mapping (key: value)')
    }
    this.#members = isObject(value) ? value : {}
  }

  wrong(field: string, problem: string): InvalidInput {
    const place = [this.#where, field].filter((part) => part !== '').join('.')
    return new InvalidInput(`${this.file}: ${[place, problem].filter(Boolean).join(' ')}`)
  }

  /** The value; absent, `null` and empty are all "not set", as kubectl treats them. */
  value(field: string): unknown {
    const value = Object.hasOwn(this.#members, field) ? this.#members[field] : undefined
    return value === null || value === '' ? undefined : value
  }

  text(field: string): string | undefined {
    const value = this.value(field)
    if (value === undefined || typeof value === 'string') return value
    throw this.wrong(field, 'must be a text; put it in quotes')
  }

  needed(field: string): string {
    const text = this.text(field)
    if (text === undefined) throw this.wrong(field, 'is missing')
    return text
  }

  flag(field: string): boolean {
    const value = this.value(field)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    throw this.wrong(field, 'must be true or false')
  }

  texts(field: string): string[] {
    return this.list(field).map((item) => {
      if (typeof item !== 'string') throw this.wrong(field, 'must be a list of texts')
      return item
    })
  }

  list(field: string): unknown[] {
    const value = this.value(field) ?? []
    if (Array.isArray(value)) return value
    throw this.wrong(field, 'must be a list')
  }

  inside(field: string): Fields {
    return new Fields(this.file, [this.#where, field].filter(Boolean).join('.'), this.value(field))
  }

  /** One entry of a list, as fields of its own. */
  item(field: string, index: number): Fields {
    const where = [this.#where, `${field}[${index}]`].filter(Boolean).join('.')
    return new Fields(this.file, where, this.list(field)[index])
  }

  /** Names of the members, for maps whose keys are free. */
  keys(): string[] {
    return Object.keys(this.#members)
  }

  /** A path in the entry is relative to the file that says it. */
  path(field: string): string | undefined {
    const path = this.text(field)
    return path === undefined ? undefined : fromFile(this.file, path)
  }

  /** `<field>-data` (base64) wins over `<field>` (a path). */
  source(field: string): Source | undefined {
    const data = this.text(`${field}-data`)
    if (data !== undefined) return { text: this.#decoded(`${field}-data`, data) }
    const file = this.path(field)
    return file === undefined ? undefined : { file }
  }

  #decoded(field: string, data: string): string {
    const packed = data.replace(/\s/g, '')
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || packed.length % 4 !== 0) {
      throw this.wrong(field, 'is not base64')
    }
    return Buffer.from(packed, 'base64').toString('utf8')
  }
}

/** `path`, seen from the directory of `file`. */
export function fromFile(file: string, path: string): string {
  return isAbsolute(path) ? path : join(file, '..', path)
}
