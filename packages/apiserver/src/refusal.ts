/** A refusal on its way to the client: becomes the `Status` object that Kubernetes' clients understand. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string
  readonly details: RefusalDetails | undefined

  constructor(code: number, reason: string, message: string, details?: RefusalDetails) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.reason = reason
    this.details = details
  }
}

export interface RefusalDetails {
  readonly name?: string
  readonly group?: string
  /** The plural resource name or the kind, as kube-apiserver does for each reason. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

export interface Cause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** Where a refused object lives. `resource` is the plural. */
export interface Refused {
  readonly group: string
  readonly resource: string
  readonly kind: string
  readonly name: string
}

export function notFound({ group, resource, name }: Refused): Refusal {
  const details = { name, ...grouped(group), kind: resource }
  return new Refusal(404, 'NotFound', `${qualified(resource, group)} "${name}" not found`, details)
}

export function alreadyExists({ group, resource, name }: Refused): Refusal {
  const details = { name, ...grouped(group), kind: resource }
  const message = `${qualified(resource, group)} "${name}" already exists`
  return new Refusal(409, 'AlreadyExists', message, details)
}

export function conflict({ group, resource, name }: Refused, why: string): Refusal {
  const details = { name, ...grouped(group), kind: resource }
  const message = `Operation cannot be fulfilled on ${qualified(resource, group)} "${name}": ${why}`
  return new Refusal(409, 'Conflict', message, details)
}

/** The `why` of a conflict when somebody else wrote in between. */
export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again'

/** What is wrong with an object, all of it: each cause has its field. */
export function invalid({ group, kind, name }: Refused, causes: readonly Cause[]): Refusal {
  const details = { name, ...grouped(group), kind, causes }
  const said = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = said.length === 1 ? said[0]! : `[${said.join(', ')}]`
  const what = `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${list}`
  return new Refusal(422, 'Invalid', what, details)
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, 'BadRequest', message)
}

const qualified = (resource: string, group: string): string =>
  group === '' ? resource : `${resource}.${group}`

const grouped = (group: string): { group?: string } => (group === '' ? {} : { group })
