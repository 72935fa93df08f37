import { isObject, sameJson } from '../../base/json.ts'
import type { ObjectMeta } from '../../base/resource.ts'
import type { NameRule } from '../kinds/kind-rules.ts'
import type { Cause } from '../refusal.ts'
import { labelValueProblems, nameProblems, qualifiedNameProblems } from './names.ts'

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])
const mostAnnotationBytes = 256 * 1024

/** Everything that is wrong with an object's metadata, whatever its kind. */
export function metadataProblems(metadata: ObjectMeta, rule: NameRule | undefined): Cause[] {
  const { name, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata
  const causes = nameProblems(name, rule).map((problem) =>
    invalidValue('metadata.name', name, problem),
  )
  for (const [key, value] of Object.entries(labels)) {
    const said = [
      ...qualifiedNameProblems(key).map((problem) => [key, problem] as const),
      ...labelValueProblems(value).map((problem) => [value, problem] as const),
    ]
    causes.push(...said.map(([what, problem]) => invalidValue('metadata.labels', what, problem)))
  }
  for (const key of Object.keys(annotations)) {
    const problems = qualifiedNameProblems(key.toLowerCase())
    causes.push(...problems.map((problem) => invalidValue('metadata.annotations', key, problem)))
  }
  if (sizeOf(annotations) > mostAnnotationBytes) causes.push(annotationsTooLong)
  finalizers.forEach((finalizer, index) =>
    causes.push(...finalizerProblems(finalizer, `metadata.finalizers[${index}]`)),
  )
  ownerReferences.forEach((owner, index) => {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[field])
        causes.push(emptyOwner(`metadata.ownerReferences[${index}].${field}`, field))
    }
  })
  return causes
}

const texts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion']

/** What has the wrong type, whatever somebody sends; said in the words of Go's decoder. */
export function mistyped(metadata: object): string | undefined {
  const fields = metadata as Record<string, unknown>
  for (const field of texts) {
    const value = fields[field] ?? ''
    if (typeof value !== 'string') return unmarshal(value, field, 'string')
  }
  for (const field of ['labels', 'annotations']) {
    const map = fields[field] ?? {}
    if (!isObject(map)) return unmarshal(map, field, 'map[string]string')
    const wrong = Object.values(map).find((value) => typeof value !== 'string' && value !== null)
    if (wrong !== undefined) return unmarshal(wrong, field, 'string')
  }
  return mistypedList(fields)
}

function mistypedList(fields: Record<string, unknown>): string | undefined {
  const finalizers: unknown = fields['finalizers'] ?? []
  if (!Array.isArray(finalizers)) return unmarshal(finalizers, 'finalizers', '[]string')
  const wrong: unknown = finalizers.find((name) => typeof name !== 'string')
  if (wrong !== undefined) return unmarshal(wrong, 'finalizers', 'string')
  const owners: unknown = fields['ownerReferences'] ?? []
  if (Array.isArray(owners) && owners.every(isObject)) return undefined
  return unmarshal(owners, 'ownerReferences', '[]v1.OwnerReference')
}

function unmarshal(value: unknown, field: string, type: string): string {
  const plain = typeof value === 'boolean' ? 'bool' : typeof value
  const name = Array.isArray(value) ? 'array' : plain
  return `json: cannot unmarshal ${name} into Go struct field ObjectMeta.metadata.${field} of type ${type}`
}

/** What may not change about an object that is there. */
export function metadataChangeProblems(before: ObjectMeta, after: ObjectMeta): Cause[] {
  const causes: Cause[] = []
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

export function invalidValue(field: string, value: unknown, problem: string): Cause {
  const message = `Invalid value: ${JSON.stringify(value)}: ${problem}`
  return { reason: 'FieldValueInvalid', message, field }
}

export const nameRequired: Cause = {
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
  field: 'metadata.name',
}

function finalizerProblems(finalizer: string, field: string): Cause[] {
  const problems = qualifiedNameProblems(finalizer)
  if (problems.length === 0 && !finalizer.includes('/') && !standardFinalizers.has(finalizer)) {
    problems.push('name is neither a standard finalizer name nor is it fully qualified')
  }
  return problems.map((problem) => invalidValue(field, finalizer, problem))
}

const annotationsTooLong: Cause = {
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${mostAnnotationBytes} bytes`,
  field: 'metadata.annotations',
}

const emptyOwner = (field: string, what: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: "": ${what === 'apiVersion' ? 'version' : what} must not be empty`,
  field,
})

const sizeOf = (annotations: Record<string, string>): number =>
  Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
