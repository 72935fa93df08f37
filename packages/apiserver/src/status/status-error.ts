/** An error for the client: becomes a `Status` object, as StatusError in apimachinery. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.reason = reason
    this.details = details
  }
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The plural resource name or the kind, as kube-apiserver does for each reason. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** The object of an error. `resource` is the plural. */
export interface ErrorObject {
  readonly group: string
  readonly resource: string
  readonly kind: string
  readonly name: string
}

export function notFound({ group, resource, name }: ErrorObject): StatusError {
  const details = { name, ...groupDetail(group), kind: resource }
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource, group)} "${name}" not found`,
    details,
  )
}

export function alreadyExists({ group, resource, name }: ErrorObject): StatusError {
  const details = { name, ...groupDetail(group), kind: resource }
  const message = `${qualified(resource, group)} "${name}" already exists`
  return new StatusError(409, 'AlreadyExists', message, details)
}

export function conflict({ group, resource, name }: ErrorObject, why: string): StatusError {
  const details = { name, ...groupDetail(group), kind: resource }
  const message = `Operation cannot be fulfilled on ${qualified(resource, group)} "${name}": ${why}`
  return new StatusError(409, 'Conflict', message, details)
}

/** The message of a conflict with another write. */
export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again'

/** All validation errors of an object, with their fields. */
export function invalid(
  { group, kind, name }: ErrorObject,
  causes: readonly StatusCause[],
): StatusError {
  const details = { name, ...groupDetail(group), kind, causes }
  const messages = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`
  const what = `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${list}`
  return new StatusError(422, 'Invalid', what, details)
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message)
}

const qualified = (resource: string, group: string): string =>
  group === '' ? resource : `${resource}.${group}`

const groupDetail = (group: string): { group?: string } => (group === '' ? {} : { group })
