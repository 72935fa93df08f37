import type { UserInfo } from '../../identity/user-info.ts'
import { forbidden } from '../../authorization/forbidden.ts'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { bind } from '../../verbs/binding.ts'
import { create } from '../../verbs/create.ts'
import { decodedObject } from '../../verbs/decode-object.ts'
import type { DeleteOptions } from '../../verbs/delete.ts'
import { remove } from '../../verbs/delete.ts'
import { evict } from '../../verbs/eviction/eviction.ts'
import { patch } from '../../verbs/patch.ts'
import { read } from '../../verbs/read.ts'
import {
  deleteOptions,
  numberOption,
  truthOption,
  writeOptions,
} from '../../verbs/request-options.ts'
import type { OptionsKind } from '../../verbs/request-options.ts'
import { replace } from '../../verbs/replace.ts'
import { readScale, writeScale } from '../../verbs/scale.ts'
import type { Selection } from '../../verbs/selection.ts'
import { selectionOf } from '../../verbs/selection.ts'
import { toServedVersion } from '../../objects/stored-object.ts'
import type { NamedTarget } from '../../verbs/update.ts'
import type { Target, WriteOptions } from '../../verbs/verb-context.ts'
import type { VersionQuery } from '../../watch/list-options.ts'
import type { ListPage } from '../../watch/list.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { ApiParts } from '../messages/api-parts.ts'
import { negotiate, parseMediaType } from '../messages/media-types.ts'
import type { ObjectPage, RequestedView } from '../messages/object-shapes.ts'
import { readBody } from '../messages/request-body.ts'
import type { ResourceRequest } from '../messages/request-info.ts'
import { sentObject, sentOptions, sentPatch } from '../messages/sent-body.ts'
import { deletedBody, methodNotAllowed } from '../messages/status-body.ts'
import { admissionRequest } from './admission-requests.ts'
import { serveWatch } from './watch-response.ts'

/** An authorized request for a served resource. */
export interface ResourceCall {
  readonly parts: ApiParts
  readonly info: ResourceRequest
  readonly kind: ServedKind
  readonly query: URLSearchParams
  readonly user: UserInfo
  readonly answer: ApiResponse
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

type Handler = (call: ResourceCall) => Promise<void>

const handlers: Readonly<Record<string, Handler>> = {
  get: answerGet,
  list: answerList,
  watch: answerWatchOf,
  create: answerCreate,
  update: answerUpdate,
  patch: answerPatch,
  delete: answerDelete,
  deletecollection: answerDeleteCollection,
}

export async function answerResource(call: ResourceCall): Promise<void> {
  const { info, kind } = call
  const handler = handlers[info.verb]
  if (!handler || !allows(kind, info)) throw methodNotAllowed()
  if (kind.deprecation !== undefined) call.answer.warn(kind.deprecation)
  await handler(call)
}

function allows(
  kind: ServedKind,
  { verb, name, namespace, subresource }: ResourceRequest,
): boolean {
  if (subresource !== undefined) {
    const served = kind.subresources.find((each) => each.name === subresource)
    return served?.verbs.some((each) => each === verb) === true
  }
  if (verb === 'create' && (name !== undefined || (kind.namespaced && namespace === undefined))) {
    return false
  }
  if ((verb === 'update' || verb === 'patch') && name === undefined) return false
  if (verb === 'deletecollection' && kind.namespaced && namespace === undefined) return false
  return kind.verbs.some((each) => each === verb)
}

function targetOf({ info, kind }: ResourceCall): Target {
  const { namespace, name, subresource } = info
  return { kind, namespace, name, subresource }
}

const namedTarget = (call: ResourceCall): NamedTarget => targetOf(call) as NamedTarget

function viewOf({ parts, answer, query }: ResourceCall): RequestedView {
  const { encoding, as } = negotiate(answer.request.headers.accept, parts.shapes.serves)
  answer.encoding = encoding
  const includeObject = query.get('includeObject') ?? 'Metadata'
  return { as, includeObject, now: parts.verbs.clock.now() }
}

function optionsOf(call: ResourceCall, kind: OptionsKind): WriteOptions {
  const { query, answer } = call
  const agent = answer.request.headers['user-agent']
  const options = writeOptions(query, kind, agent, (text) => answer.warn(text))
  const { user } = call
  return { ...options, user, admit: (after, before) => admit(call, after, before) }
}

/** Creating an object by update or apply also requires the `create` permission. */
function admit(call: ResourceCall, after: ApiObject, before: ApiObject | undefined): void {
  const { info, user, parts } = call
  if (before === undefined && info.verb !== 'create') {
    const { group, resource, namespace, name } = info
    const attributes = { verb: 'create', group, resource, namespace, name }
    const { allowed, reason } = parts.authorizer.allowed(user, attributes)
    if (!allowed) throw forbidden(user, attributes, reason)
  }
  parts.admission?.({ user, after, before, subresource: info.subresource })
  parts.policies?.(admissionRequest(call, after, before))
}

async function answerGet(call: ResourceCall): Promise<void> {
  const { parts, kind, answer } = call
  const view = viewOf(call)
  const target = namedTarget(call)
  await parts.cache.notOlderThan(call.query.get('resourceVersion') ?? undefined)
  if (target.subresource === 'scale') {
    answer.object(200, readScale(parts.verbs, target))
    return
  }
  answer.object(200, parts.shapes.object(kind, read(parts.verbs, target), view))
}

async function answerList(call: ResourceCall): Promise<void> {
  const { parts, kind, query, answer } = call
  const view = viewOf(call)
  const { scope, select } = selectionFor(call)
  const page = await parts.cache.list(scope, {
    select,
    limit: numberOption(query, 'limit'),
    continue: query.get('continue') ?? '',
    ...versionsOf(query),
  })
  answer.object(200, parts.shapes.list(kind, objectPage(kind, page), view))
}

const selectionFor = (call: ResourceCall): Selection =>
  selectionOf(
    targetOf(call),
    call.query.get('labelSelector') ?? '',
    call.query.get('fieldSelector') ?? '',
  )

function versionsOf(query: URLSearchParams): VersionQuery {
  return {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    ...(query.has('sendInitialEvents')
      ? { sendInitialEvents: truthOption(query, 'sendInitialEvents') }
      : {}),
  }
}

function objectPage(kind: ServedKind, { items, ...metadata }: ListPage): ObjectPage {
  const objects = items.map(({ object, revision }) =>
    toServedVersion(kind, object as ApiObject, revision),
  )
  return { ...metadata, items: objects }
}

async function answerWatchOf(call: ResourceCall): Promise<void> {
  const { parts, kind, query, answer, stopping } = call
  const { as, includeObject } = viewOf(call)
  const { scope, select } = selectionFor(call)
  await serveWatch(answer, {
    cache: parts.cache,
    scope,
    query: {
      select,
      allowWatchBookmarks: truthOption(query, 'allowWatchBookmarks'),
      timeoutMs: 1000 * (numberOption(query, 'timeoutSeconds') || defaultWatchSeconds),
      ...versionsOf(query),
    },
    view: parts.views.view(kind, as, includeObject),
    stopping,
  })
}

/** kube-apiserver uses a random time of at least half an hour; clients reconnect. */
const defaultWatchSeconds = 45 * 60

async function answerCreate(call: ResourceCall): Promise<void> {
  const { parts, kind, user, answer } = call
  const view = viewOf(call)
  const options = optionsOf(call, 'CreateOptions')
  const target = targetOf(call)
  const decodedAs = kindOfBody(call)
  const body = await readBody(answer.request)
  const contentType = answer.request.headers['content-type']
  const sent = sentObject(decodedAs, contentType, body, parts.protobuf)
  const object = decodedObject(decodedAs, sent, options, parts.verbs)
  // Policies see the object posted to the subresource, not the server's resulting writes.
  const { subresource } = target
  if (subresource !== undefined) options.admit?.(object, undefined)
  const review = await parts.reviews.answer({ target, object, user })
  if (review) {
    answer.object(201, review)
    return
  }
  if (subresource === 'eviction' || subresource === 'binding') {
    const act = subresource === 'eviction' ? evict : bind
    await act(parts.verbs, namedTarget(call), object, { ...options, admit: undefined })
    answer.object(201, done)
    return
  }
  const made = await create(parts.verbs, target, object, options)
  answer.object(201, parts.shapes.object(kind, made, view))
}

const done = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/** Subresources such as eviction take a kind of their own. */
function kindOfBody({ kind, info }: ResourceCall): ServedKind {
  const served = kind.subresources.find(({ name }) => name === info.subresource)
  if (!served?.responseKind) return kind
  const { schema: _schema, rules: _rules, ...place } = kind
  return { ...place, ...served.responseKind, builtIn: true }
}

async function answerUpdate(call: ResourceCall): Promise<void> {
  const { parts, kind, answer } = call
  const view = viewOf(call)
  const options = optionsOf(call, 'UpdateOptions')
  const target = namedTarget(call)
  const body = await readBody(answer.request)
  const decodedAs = kindOfBody(call)
  const contentType = answer.request.headers['content-type']
  const sent = sentObject(decodedAs, contentType, body, parts.protobuf)
  const object = decodedObject(decodedAs, sent, options, parts.verbs)
  if (target.subresource === 'scale') {
    answer.object(200, await writeScale(parts.verbs, target, () => object, options))
    return
  }
  const written = await replace(parts.verbs, target, object, options)
  answer.object(written.created ? 201 : 200, parts.shapes.object(kind, written.object, view))
}

async function answerPatch(call: ResourceCall): Promise<void> {
  const { parts, kind, query, answer } = call
  const view = viewOf(call)
  const options = optionsOf(call, 'PatchOptions')
  const target = namedTarget(call)
  const mediaType = parseMediaType(answer.request.headers['content-type'] ?? '').type
  const body = sentPatch(mediaType, await readBody(answer.request))
  const sent = { mediaType, ...body, force: truthOption(query, 'force') }
  if (target.subresource === 'scale') {
    const patched = await writeScale(
      parts.verbs,
      target,
      (scale) =>
        parts.verbs.patcher.apply({
          kind: kindOfBody(call),
          current: scale,
          subresource: 'scale',
          fieldManager: options.fieldManager,
          now: parts.verbs.clock.now(),
          ...sent,
        }),
      options,
    )
    answer.object(200, patched)
    return
  }
  const { object, created } = await patch(parts.verbs, target, sent, options)
  answer.object(created ? 201 : 200, parts.shapes.object(kind, object, view))
}

async function answerDelete(call: ResourceCall): Promise<void> {
  const { parts, kind, answer } = call
  const view = viewOf(call)
  const options = await deleteOptionsOf(call)
  const { object, gone } = await remove(parts.verbs, namedTarget(call), options)
  const { name, uid } = object.metadata
  const { group, plural } = kind
  if (gone && kind.rules?.returnsDeleted !== true) {
    answer.object(200, deletedBody({ name, group, kind: plural, uid }))
  } else {
    answer.object(200, parts.shapes.object(kind, object, view))
  }
}

async function answerDeleteCollection(call: ResourceCall): Promise<void> {
  const { parts, kind, answer } = call
  const view = viewOf(call)
  const options = await deleteOptionsOf(call)
  const { scope, select } = selectionFor(call)
  const page = objectPage(kind, await parts.cache.list(scope, { select }))
  for (const { metadata } of page.items) {
    const target = { kind, namespace: metadata.namespace, name: metadata.name }
    await remove(parts.verbs, target, { ...options, uid: metadata.uid }).catch(ignoreNotFound)
  }
  answer.object(200, parts.shapes.list(kind, page, view))
}

/** Another request has deleted the object. */
function ignoreNotFound(error: unknown): void {
  const { code } = error as { code?: number }
  if (code !== 404 && code !== 409) throw error
}

async function deleteOptionsOf(call: ResourceCall): Promise<DeleteOptions> {
  const { query, answer, parts } = call
  const body = await readBody(answer.request)
  const options = deleteOptions(query, sentOptions(answer.request.headers['content-type'], body))
  const admit = (before: ApiObject): void =>
    parts.policies?.(admissionRequest(call, undefined, before, options))
  return { ...options, admit }
}
