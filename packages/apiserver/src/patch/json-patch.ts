import { isObject, sameJson } from '@machinist/core/encoding/json'
import { StatusError, badRequest } from '../status/status-error.ts'
import { goJsonType } from '../go/value-text.ts'

/*
 * RFC 6902 with kube-apiserver's deviations: `replace` can add a key, `test` treats null as absent, negative indexes
 * count from the end, and all failures have the same message. No library implements these.
 */

/** Applies a JSON patch to a copy of the object. Throws a StatusError. */
export function applyJsonPatch(object: Readonly<Record<string, unknown>>, patch: unknown): unknown {
  const operations = readOperations(patch)
  const document: Document = { root: structuredClone(object), copied: 0 }
  for (const operation of operations) perform(document, operation)
  if (isDeeper(document.root, maxDepth)) throw unfit()
  return document.root
}

interface Operation {
  readonly op?: string
  readonly path?: string
  readonly from?: string
  readonly value?: unknown
}

interface Document {
  root: unknown
  /** Bytes copied by `copy` operations, which would otherwise be unbounded. */
  copied: number
}

const maxOperations = 10_000
const maxCopiedBytes = 3 * 1024 * 1024
/** A patch can nest values repeatedly; no stored object is this deep. */
const maxDepth = 1000

function readOperations(patch: unknown): readonly Operation[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw undecodable(patch, '[]handlers.jsonPatchOp')
  for (const operation of patch as unknown[]) {
    if (operation === null) continue
    if (!isObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp')
    for (const field of ['op', 'from', 'path']) checkText(operation, field)
  }
  if (patch.length > maxOperations) {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`
    throw new StatusError(413, 'RequestEntityTooLarge', message)
  }
  return (patch as (Operation | null)[]).map((operation) => operation ?? {})
}

function checkText(operation: Record<string, unknown>, field: string): void {
  const value = operation[field]
  if (value === undefined || value === null || typeof value === 'string') return
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${goJsonType(value)} into Go struct field jsonPatchOp.${field} of type string`,
  )
}

function undecodable(value: unknown, type: string): StatusError {
  const what = goJsonType(value)
  return badRequest(
    `error decoding patch: json: cannot unmarshal ${what} into Go value of type ${type}`,
  )
}

/** The error for every patch that does not apply. */
function unfit(): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  return new StatusError(422, 'Invalid', message, {})
}

function perform(document: Document, { op, path, from, value = null }: Operation): void {
  if (typeof path !== 'string') throw unfit()
  switch (op) {
    case 'add':
      return add(placeOf(document, path), structuredClone(value))
    case 'remove':
      return remove(placeOf(document, path))
    case 'replace':
      return path === '' ? replaceRoot(document, value) : replace(placeOf(document, path), value)
    case 'test':
      return test(path === '' ? document.root : read(placeOf(document, path)), value)
    case 'move':
      return move(document, from, path)
    case 'copy':
      return copy(document, from, path)
    case undefined:
    default:
      throw unfit()
  }
}

/** A key of an object, or an index of a list as text. */
interface Place {
  readonly container: Record<string, unknown> | unknown[]
  readonly key: string
}

function placeOf({ root }: Document, path: string | undefined): Place {
  // Text before the first slash is ignored.
  const steps = (path ?? '').split('/').slice(1).map(unescaped)
  const key = steps.pop()
  if (key === undefined) throw unfit()
  const container = steps.reduce<unknown>((at, step) => {
    if (!isContainer(at)) throw unfit()
    return read({ container: at, key: step })
  }, root)
  if (!isContainer(container)) throw unfit()
  return { container, key }
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const isContainer = (value: unknown): value is Place['container'] =>
  Array.isArray(value) || isObject(value)

function read({ container, key }: Place): unknown {
  if (Array.isArray(container)) return container[indexIn(container, key)]
  return Object.hasOwn(container, key) ? container[key] : undefined
}

/** The index of an existing item. */
function indexIn(list: readonly unknown[], key: string): number {
  const index = numberOf(key)
  const found = index < 0 ? index + list.length : index
  if (found < 0 || found >= list.length) throw unfit()
  return found
}

function numberOf(key: string): number {
  if (!/^[-+]?\d{1,9}$/.test(key)) throw unfit()
  return Number(key)
}

function add({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) return set(container, key, value)
  if (key === '-') {
    container.push(value)
    return
  }
  const index = numberOf(key)
  const length = container.length + 1
  const place = index < 0 ? index + length : index
  if (place < 0 || place >= length) throw unfit()
  container.splice(place, 0, value)
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexIn(container, key), 1)
  else if (!Object.hasOwn(container, key)) throw unfit()
  else delete container[key]
}

function replace({ container, key }: Place, value: unknown): void {
  if (Array.isArray(container)) container[indexIn(container, key)] = structuredClone(value)
  else set(container, key, structuredClone(value))
}

/** A root that is not an object is ignored. */
function replaceRoot(document: Document, value: unknown): void {
  if (isObject(value)) document.root = structuredClone(value)
}

function test(present: unknown, value: unknown): void {
  if (!sameJson(present ?? null, value)) throw unfit()
}

function move(document: Document, from: string | undefined, path: string): void {
  const source = placeOf(document, from)
  const value = read(source)
  if (value === undefined || value === null) throw unfit()
  remove(source)
  add(placeOf(document, path), value)
}

function copy(document: Document, from: string | undefined, path: string): void {
  const value = read(placeOf(document, from)) ?? null
  if (isDeeper(value, maxDepth)) throw unfit()
  document.copied += Buffer.byteLength(JSON.stringify(value))
  if (document.copied > maxCopiedBytes) throw unfit()
  add(placeOf(document, path), structuredClone(value))
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return false
  if (levels === 0) return true
  return Object.values(value).some((below) => isDeeper(below, levels - 1))
}

/** Treats `__proto__` like any other key. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
