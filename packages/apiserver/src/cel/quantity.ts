import { nanosOf } from '@machinist/core/objects/quantity'
import type { Registrar, Values } from './library.ts'

/** Quantities: `quantity("1Gi").compareTo(quantity("1024Mi")) == 0`. */
export function registerQuantity(to: Registrar, { fail }: Values): void {
  const type = 'kubernetes.Quantity'
  const quantity = (text: string): Quantity => {
    const nanos = nanosOf(text)
    if (nanos === undefined) {
      throw fail(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      )
    }
    return new Quantity(nanos)
  }
  const compare = (a: Quantity, b: Quantity): bigint =>
    a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n
  to.registerType(type, Quantity)
  to.registerFunction('isQuantity(string): bool', (text: string) => nanosOf(text) !== undefined)
  to.registerFunction(`quantity(string): ${type}`, quantity)
  to.registerFunction(`sign(${type}): int`, (a: Quantity) => compare(a, new Quantity(0n)))
  to.registerFunction(`${type}.isInteger(): bool`, (a: Quantity) => a.nanos % unit === 0n)
  to.registerFunction(`${type}.asInteger(): int`, (a: Quantity) => {
    if (a.nanos % unit !== 0n) throw fail('cannot convert value to integer')
    return a.nanos / unit
  })
  to.registerFunction(
    `${type}.asApproximateFloat(): double`,
    (a: Quantity) => Number(a.nanos) / Number(unit),
  )
  for (const [name, sign] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    to.registerFunction(
      `${type}.${name}(${type}): ${type}`,
      (a: Quantity, b: Quantity) => new Quantity(a.nanos + sign * b.nanos),
    )
    to.registerFunction(
      `${type}.${name}(int): ${type}`,
      (a: Quantity, b: bigint) => new Quantity(a.nanos + sign * b * unit),
    )
  }
  to.registerFunction(`${type}.compareTo(${type}): int`, compare)
  to.registerFunction(
    `${type}.isLessThan(${type}): bool`,
    (a: Quantity, b: Quantity) => a.nanos < b.nanos,
  )
  to.registerFunction(
    `${type}.isGreaterThan(${type}): bool`,
    (a: Quantity, b: Quantity) => a.nanos > b.nanos,
  )
  to.registerOperator(`${type} == ${type}`, (a: Quantity, b: Quantity) => a.nanos === b.nanos)
}

const unit = 1_000_000_000n

class Quantity {
  /** In billionths, the resolution of quantities. */
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}
