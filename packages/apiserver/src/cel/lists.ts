import type { Registrar, Values } from './library.ts'
import { registerNamespace } from './namespace.ts'

/** Lists (sum, min, max, isSorted, indexOf, lastIndexOf) and `sets`. */
export function registerLists(to: Registrar, { fail }: Values): void {
  to.registerFunction('list.sum(): dyn', (list: readonly never[]) => sum(list))
  to.registerFunction('list.min(): dyn', (list: readonly never[]) => {
    if (list.length === 0) throw fail('min called on empty list')
    return list.reduce((least, item) => (item < least ? item : least))
  })
  to.registerFunction('list.max(): dyn', (list: readonly never[]) => {
    if (list.length === 0) throw fail('max called on empty list')
    return list.reduce((most, item) => (item > most ? item : most))
  })
  to.registerFunction('list.isSorted(): bool', (list: readonly never[]) =>
    list.every((item, i) => i === 0 || list[i - 1]! <= item),
  )
  to.registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], value: unknown) =>
    BigInt(list.findIndex((item) => same(item, value))),
  )
  to.registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], value: unknown) =>
    BigInt(list.findLastIndex((item) => same(item, value))),
  )
  registerNamespace(to, 'sets')
  type Lists = readonly unknown[]
  to.registerFunction(
    'SetsNamespace.contains(list, list): bool',
    (_: unknown, all: Lists, some: Lists) => contains(all, some),
  )
  to.registerFunction(
    'SetsNamespace.equivalent(list, list): bool',
    (_: unknown, a: Lists, b: Lists) => contains(a, b) && contains(b, a),
  )
  to.registerFunction(
    'SetsNamespace.intersects(list, list): bool',
    (_: unknown, a: Lists, b: Lists) => a.some((item) => contains(b, [item])),
  )
}

function sum(list: readonly (bigint | number)[]): bigint | number {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((a, b) => a + b, 0n)
  return list.reduce((a: number, b) => a + Number(b), 0)
}

function contains(all: readonly unknown[], some: readonly unknown[]): boolean {
  const plain = new Set(all.filter((item) => typeof item !== 'object'))
  return some.every((item) => plain.has(item) || all.some((one) => same(one, item)))
}

/** CEL equality: numbers by value regardless of type, everything else by content. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return Number(a) === Number(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime()
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  if (keys.length !== others.length || Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return keys.every((key) => Object.hasOwn(b, key) && same(left[key], right[key]))
}

const isNumber = (value: unknown): boolean => typeof value === 'bigint' || typeof value === 'number'
