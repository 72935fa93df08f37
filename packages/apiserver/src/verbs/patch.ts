import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { invalid, notFound, StatusError } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'
import { objectKey } from '../objects/object-key.ts'
import { apiVersionOf } from '../objects/stored-object.ts'
import { create } from './create.ts'
import { reportStrictProblems, typeProblem, unknownMetadata } from './decode-object.ts'
import { errorObjectOf } from './object-checks.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

export interface SentPatch {
  readonly mediaType: string
  readonly body: unknown
  /** Duplicate field paths. */
  readonly duplicates?: readonly string[]
  readonly force: boolean
}

/** `created` distinguishes 201 from 200. */
export interface PatchResult {
  readonly object: ApiObject
  readonly created: boolean
}

export async function patch(
  context: VerbContext,
  target: NamedTarget,
  sent: SentPatch,
  options: WriteOptions,
): Promise<PatchResult> {
  const { patcher, store, clock } = context
  const { kind, subresource } = target
  const accepted = patcher.accepts(kind)
  if (!patcher.knows(sent.mediaType)) throw noPatch()
  if (!accepted.includes(sent.mediaType)) throw unknownPatch(accepted)
  const { fieldManager } = options
  const now = clock.now()
  const result = (current: ApiObject | undefined): ApiObject => {
    const request = { kind, current, subresource, fieldManager, now, ...sent }
    return checked(context, target, patcher.apply(request), sent, options)
  }
  const tracked = patcher.creates(sent.mediaType)
  const present = store.get(objectKey(kind, target.namespace, target.name))
  if (!present && tracked && subresource === undefined) {
    const object = await create(context, target, result(undefined), { ...options, tracked })
    return { object, created: true }
  }
  if (!present) throw notFound(errorObjectOf(target, target.name))
  const object = await update(context, target, result, { ...options, tracked })
  return { object, created: false }
}

function checked(
  { schemas }: VerbContext,
  { kind }: NamedTarget,
  patched: ApiObject,
  sent: SentPatch,
  options: WriteOptions,
): ApiObject {
  // A patch can remove everything, including metadata.
  const object = { ...patched, metadata: patched.metadata ?? {} }
  const problem = typeProblem(kind, object)
  if (problem !== undefined) throw invalidPatch(problem)
  if (!kind.builtIn) checkSameKind(kind, object)
  const pruned = schemas.of(kind)?.prune(object) ?? { object, unknown: [] }
  const unknown = [...new Set([...pruned.unknown, ...unknownMetadata(object)])].sort()
  const problems = [
    ...patchComplaints(sent),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ]
  reportStrictProblems(problems, options, invalidPatch)
  return pruned.object
}

/** Duplicate or unknown fields of the patch itself. */
function patchComplaints({ mediaType, body, duplicates = [] }: SentPatch): string[] {
  const operations = mediaType === 'application/json-patch+json' && Array.isArray(body) ? body : []
  const words = mediaType === 'application/json-patch+json' ? 'json patch ' : ''
  const unknown = operations.flatMap((operation: unknown, index) =>
    Object.keys(operation ?? {})
      .filter((field) => !operationFields.has(field))
      .map((field) => `${words}unknown field "[${index}].${field}"`),
  )
  return [
    ...duplicates.map((path) => `${words}duplicate field ${JSON.stringify(path)}`),
    ...unknown,
  ]
}

const operationFields = new Set(['op', 'path', 'from', 'value'])

/** Unlike kube-apiserver this does not print the whole object, which may be a Secret. */
function invalidPatch(why: string): StatusError {
  const message = `Invalid value: "object": ${why}`
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }]
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes })
}

/** A patch cannot change the kind of a custom resource. */
function checkSameKind(
  kind: ServedKind,
  { apiVersion = '', kind: named = '', metadata }: ApiObject,
): void {
  const expected = apiVersionOf(kind)
  const causes = [
    ...(named === kind.kind ? [] : [invalidValue('kind', named, `must be ${kind.kind}`)]),
    ...(apiVersion === expected
      ? []
      : [invalidValue('apiVersion', apiVersion, `must be ${expected}`)]),
  ]
  if (causes.length === 0) return
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : ['']
  throw invalid({ group: group!, resource: kind.plural, kind: named, name: metadata.name }, causes)
}

const noPatch = (): StatusError =>
  new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})

const unknownPatch = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
