import { canonicalJson } from '@machinist/core/encoding/json'
import type { TrustField, TrustFields } from './facts/fields.ts'

/** The maximum size of the spec. etcd stores at most 1.5 MiB per object, and metadata and status need space too. */
export const largestSpec = 1_200_000

export interface FittedFields {
  readonly fields: TrustFields
  /** Fields that would exceed the maximum and stay unchanged. */
  readonly tooLarge: ReadonlySet<TrustField>
}

/** Applies as many `desired` fields as fit into one object, in this order; `others` is the size of the rest of the spec. */
export function fitFields(
  desired: TrustFields,
  before: TrustFields,
  order: readonly TrustField[],
  others: number,
): FittedFields {
  const growth = (field: TrustField): number => sizeOf(desired[field]) - sizeOf(before[field])
  let total = order.reduce((sum, field) => sum + sizeOf(before[field]), others)
  const tooLarge = new Set<TrustField>()
  // Fields that shrink come first, because they free space.
  for (const field of [...order].sort((a, b) => Number(growth(a) > 0) - Number(growth(b) > 0))) {
    if (growth(field) > 0 && total + growth(field) > largestSpec) tooLarge.add(field)
    else total += growth(field)
  }
  const kept = order.filter((field) => tooLarge.has(field))
  const fields = { ...desired, ...Object.fromEntries(kept.map((field) => [field, before[field]])) }
  return { fields, tooLarge }
}

function sizeOf(value: TrustFields[TrustField]): number {
  return typeof value === 'string' ? value.length : canonicalJson(value).length
}
