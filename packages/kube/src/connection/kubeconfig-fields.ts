import { isAbsolute, join } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { Source } from './target.ts'

/**
 * Typed access to one entry of a kubeconfig. Errors name file, entry and field, but never a value, which may be secret.
 */
export class KubeconfigFields {
  readonly file: string
  readonly #path: string
  readonly #members: Readonly<Record<string, unknown>>

  constructor(file: string, where: string, value: unknown) {
    this.file = file
    this.#path = where
    if (value !== undefined && value !== null && !isObject(value)) {
      throw this.invalid('', 'must be a mapping (key: value)')
    }
    this.#members = isObject(value) ? value : {}
  }

  invalid(field: string, problem: string): InvalidInput {
    const place = [this.#path, field].filter((part) => part !== '').join('.')
    return new InvalidInput(`${this.file}: ${[place, problem].filter(Boolean).join(' ')}`)
  }

  /** The value. As in kubectl, absent, `null` and empty mean "not set". */
  value(field: string): unknown {
    const value = Object.hasOwn(this.#members, field) ? this.#members[field] : undefined
    return value === null || value === '' ? undefined : value
  }

  text(field: string): string | undefined {
    const value = this.value(field)
    if (value === undefined || typeof value === 'string') return value
    throw this.invalid(field, 'must be a string; put it in quotes')
  }

  required(field: string): string {
    const text = this.text(field)
    if (text === undefined) throw this.invalid(field, 'is missing')
    return text
  }

  flag(field: string): boolean {
    const value = this.value(field)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    throw this.invalid(field, 'must be true or false')
  }

  strings(field: string): string[] {
    return this.list(field).map((item) => {
      if (typeof item !== 'string') throw this.invalid(field, 'must be a list of strings')
      return item
    })
  }

  list(field: string): unknown[] {
    const value = this.value(field) ?? []
    if (Array.isArray(value)) return value
    throw this.invalid(field, 'must be a list')
  }

  nested(field: string): KubeconfigFields {
    return new KubeconfigFields(
      this.file,
      [this.#path, field].filter(Boolean).join('.'),
      this.value(field),
    )
  }

  /** One entry of a list. */
  item(field: string, index: number): KubeconfigFields {
    const where = [this.#path, `${field}[${index}]`].filter(Boolean).join('.')
    return new KubeconfigFields(this.file, where, this.list(field)[index])
  }

  /** The keys of the mapping. */
  keys(): string[] {
    return Object.keys(this.#members)
  }

  /** A path, relative to the kubeconfig that contains it. */
  path(field: string): string | undefined {
    const path = this.text(field)
    return path === undefined ? undefined : resolveFromFile(this.file, path)
  }

  /** `<field>-data` (base64) takes precedence over `<field>` (a path). */
  source(field: string): Source | undefined {
    const data = this.text(`${field}-data`)
    if (data !== undefined) return { text: this.#decode(`${field}-data`, data) }
    const file = this.path(field)
    return file === undefined ? undefined : { file }
  }

  #decode(field: string, data: string): string {
    const packed = data.replace(/\s/g, '')
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || packed.length % 4 !== 0) {
      throw this.invalid(field, 'is not base64')
    }
    return Buffer.from(packed, 'base64').toString('utf8')
  }
}

/** Resolves `path` against the directory of `file`. */
export function resolveFromFile(file: string, path: string): string {
  return isAbsolute(path) ? path : join(file, '..', path)
}
