import { canonicalJson } from '@machinist/core/json'
import type { TrustField, TrustFields } from './fields.ts'

/**
 * How long the spec may become. etcd stores at most 1.5 MiB in one object; metadata and the list of certificates in the
 * status need room, too.
 */
export const largestSpec = 1_200_000

export interface Fitting {
  readonly fields: TrustFields
  /** What would have made it too large and stays as it was. */
  readonly tooLarge: ReadonlySet<TrustField>
}

/** As much of `wanted` as fits into one object, in this order; `others` is how much the rest of the spec takes. */
export function fitted(
  wanted: TrustFields,
  before: TrustFields,
  order: readonly TrustField[],
  others: number,
): Fitting {
  const growth = (field: TrustField): number => sizeOf(wanted[field]) - sizeOf(before[field])
  let total = order.reduce((sum, field) => sum + sizeOf(before[field]), others)
  const tooLarge = new Set<TrustField>()
  // What becomes smaller makes room, so it comes first.
  for (const field of [...order].sort((a, b) => Number(growth(a) > 0) - Number(growth(b) > 0))) {
    if (growth(field) > 0 && total + growth(field) > largestSpec) tooLarge.add(field)
    else total += growth(field)
  }
  const kept = order.filter((field) => tooLarge.has(field))
  const fields = { ...wanted, ...Object.fromEntries(kept.map((field) => [field, before[field]])) }
  return { fields, tooLarge }
}

function sizeOf(value: TrustFields[TrustField]): number {
  return typeof value === 'string' ? value.length : canonicalJson(value).length
}
