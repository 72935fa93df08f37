import { sameJson } from '@machinist/core/encoding/json'
import type { ObjectMeta, OwnerReference } from '@machinist/core/objects/resource'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, tooLong } from '../status/causes.ts'
import { labelProblems, nameProblems, prefixProblems, qualifiedNameProblems } from './names.ts'

const standardFinalizers = new Set([
  'orphan',
  'foregroundDeletion',
  'kubernetes',
  'customresourcecleanup.apiextensions.k8s.io',
])
const maxAnnotationBytes = 256 * 1024

/** Validates an object's metadata. */
export function metadataProblems(
  metadata: ObjectMeta,
  kind: Pick<ServedKind, 'builtIn' | 'rules'>,
): StatusCause[] {
  const { name, generateName, labels = {}, annotations = {}, finalizers = [] } = metadata
  const rule = kind.rules?.nameRule
  const causes = generateName
    ? prefixProblems(generateName, rule).map((problem) =>
        invalidValue('metadata.generateName', generateName, problem),
      )
    : []
  causes.push(
    ...nameProblems(name, rule).map((problem) => invalidValue('metadata.name', name, problem)),
  )
  causes.push(...labelProblems('metadata.labels', labels))
  for (const key of Object.keys(annotations)) {
    const problems = qualifiedNameProblems(key.toLowerCase())
    causes.push(...problems.map((problem) => invalidValue('metadata.annotations', key, problem)))
  }
  if (sizeOf(annotations) > maxAnnotationBytes) {
    causes.push(tooLong('metadata.annotations', maxAnnotationBytes))
  }
  causes.push(...ownerProblems(metadata.ownerReferences ?? []), ...finalizerProblems(finalizers))
  return kind.builtIn ? [...causes, ...plainFinalizers(finalizers)] : causes
}

const ownersField = 'metadata.ownerReferences'

function ownerProblems(owners: readonly OwnerReference[]): StatusCause[] {
  const empty = owners.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field) => emptyOwner(`${ownersField}.${field}`, field)),
  )
  const [first, second] = owners.filter(({ controller }) => controller === true)
  if (!first || !second) return empty
  const [one, other] = [first, second].map(({ kind, name }) => `${kind}/${name}`)
  const found = `Found "true" in references for ${one} and ${other}`
  const why = `Only one reference can have Controller set to true. ${found}`
  return [...empty, invalidValue(ownersField, owners, why)]
}

/** Validates immutable metadata. */
export function metadataChangeProblems(before: ObjectMeta, after: ObjectMeta): StatusCause[] {
  const causes: StatusCause[] = []
  for (const field of ['uid', 'namespace', 'creationTimestamp', 'deletionTimestamp'] as const) {
    if (after[field] !== undefined && !sameJson(before[field], after[field])) {
      causes.push(invalidValue(`metadata.${field}`, after[field], 'field is immutable'))
    }
  }
  const known = new Set(before.finalizers)
  const added = (after.finalizers ?? []).filter((finalizer) => !known.has(finalizer))
  if (before.deletionTimestamp !== undefined && added.length > 0) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
      field: 'metadata.finalizers',
    })
  }
  return causes
}

export const nameRequired: StatusCause = {
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
  field: 'metadata.name',
}

const finalizersField = 'metadata.finalizers'

function finalizerProblems(finalizers: readonly string[]): StatusCause[] {
  const causes = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) =>
      invalidValue(finalizersField, finalizer, problem),
    ),
  )
  const both = ['orphan', 'foregroundDeletion'].every((name) => finalizers.includes(name))
  if (!both) return causes
  const list = finalizers.map((name) => JSON.stringify(name)).join(', ')
  const message = `Invalid value: []string{${list}}: finalizer orphan and foregroundDeletion cannot be both set`
  return [...causes, { reason: 'FieldValueInvalid', message, field: finalizersField }]
}

/** Custom resources may have any finalizers; finalizers of built-in kinds must be qualified names. */
function plainFinalizers(finalizers: readonly string[]): StatusCause[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [invalidValue(`${finalizersField}[${index}]`, finalizer, why)],
  )
}

const emptyOwner = (field: string, what: string): StatusCause =>
  invalidValue(field, '', `${what === 'apiVersion' ? 'version' : what} must not be empty`)

const sizeOf = (annotations: Record<string, string>): number =>
  Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
