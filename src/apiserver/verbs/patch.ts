import type { ApiObject } from '../kinds/kind-rules.ts'
import { invalid, notFound, Refusal } from '../refusal.ts'
import { create } from './create.ts'
import { mistyped } from './metadata-check.ts'
import { refusedOf } from './object-checks.ts'
import { objectKey } from './object-key.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'
import { reportStrictly, unknownMetadata } from './decode-object.ts'

export interface SentPatch {
  readonly mediaType: string
  readonly body: unknown
  readonly force: boolean
}

/** `created` tells 201 from 200. */
export interface Patched {
  readonly object: ApiObject
  readonly created: boolean
}

export async function patch(
  context: VerbContext,
  target: NamedTarget,
  sent: SentPatch,
  options: WriteOptions,
): Promise<Patched> {
  const { patcher, store, clock } = context
  const { kind, subresource } = target
  const accepted = patcher.accepts(kind)
  if (!patcher.knows(sent.mediaType)) throw noPatch()
  if (!accepted.includes(sent.mediaType)) throw unknownPatch(accepted)
  const { fieldManager } = options
  const now = clock.now()
  const result = (current: ApiObject | undefined): ApiObject => {
    const request = { kind, current, subresource, fieldManager, now, ...sent }
    return checked(context, target, patcher.apply(request), options)
  }
  const tracked = patcher.creates(sent.mediaType)
  const present = store.get(objectKey(kind, target.namespace, target.name))
  if (!present && tracked && subresource === undefined) {
    const object = await create(context, target, result(undefined), { ...options, tracked })
    return { object, created: true }
  }
  if (!present) throw notFound(refusedOf(target, target.name))
  const object = await update(context, target, result, { ...options, tracked })
  return { object, created: false }
}

function checked(
  { schemas }: VerbContext,
  { kind }: NamedTarget,
  object: ApiObject,
  options: WriteOptions,
): ApiObject {
  checkPatchedTypes(object)
  const pruned = schemas.of(kind)?.prune(object) ?? { object, unknown: [] }
  const unknown = [...new Set([...unknownMetadata(object), ...pruned.unknown])]
  reportStrictly(
    kind,
    unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    options,
  )
  return pruned.object
}

/** Unlike kube-apiserver this does not print the whole object, which may be a Secret. */
function checkPatchedTypes({ metadata }: ApiObject): void {
  const problem = mistyped(metadata)
  if (problem === undefined) return
  const message = `Invalid value: "metadata": ${problem}`
  throw invalid({ group: '', resource: '', kind: '', name: '' }, [
    { reason: 'FieldValueInvalid', message, field: 'patch' },
  ])
}

const noPatch = (): Refusal =>
  new Refusal(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})

const unknownPatch = (accepted: readonly string[]): Refusal =>
  new Refusal(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
