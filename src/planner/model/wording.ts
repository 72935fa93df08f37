import { utf8Length } from '@machinist/core/encoding/bytes'
import { sha256Hex } from '@machinist/core/encoding/digest'

/** `1 file`, `2 files` */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

export function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

/** `7 bytes (sha256 ae6c63cff33b)`: identifies a content without quoting it. */
export function contentSize(content: string | Uint8Array): string {
  const size = typeof content === 'string' ? utf8Length(content) : content.length
  return sizeText(size, sha256Hex(content))
}

export const sizeText = (size: number, sha256: string): string =>
  `${count(size, 'byte')} (sha256 ${sha256.slice(0, 12)})`

/** `24 MiB`, rounded up. */
export const mebibytes = (size: number): string => `${Math.ceil(size / 1024 ** 2)} MiB`

/** `a`, `a and b`, `a, b and c`; long lists are truncated. */
export function listed(items: readonly string[], most = 4): string {
  if (items.length > most) {
    return `${items.slice(0, most).join(', ')} and ${items.length - most} more`
  }
  const [last, ...others] = [items.at(-1) ?? '', ...items.slice(0, -1)]
  return others.length === 0 ? last : `${others.join(', ')} and ${last}`
}

/** Compares by code units, independent of the locale. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
