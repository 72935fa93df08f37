import { fullVersion, supportedVersions } from '@machinist/ignition/convert/versions'
import type { AcceptedVersions } from './accept.ts'

/** Why there is no config for a request. Part of the API: clients, metrics and docs/server.md use the reasons. */
export interface Refusal {
  readonly type: 'refusal'
  readonly status: 404 | 406 | 503
  /** One word. */
  readonly reason: string
  /** What happened: the object and its state. Never a secret. */
  readonly message: string
  /** What the user can do. */
  readonly action: string
  /** The supported versions, if another version may help. */
  readonly versions?: readonly string[]
  /** The fields that the requested version cannot express. */
  readonly fields?: readonly LostField[]
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number
}

/** Distinguishes a refusal from a config or its parts. */
export const isRefusal = (value: object): value is Refusal =>
  'type' in value && value.type === 'refusal'

/** A field of a config that a version cannot express. */
export interface LostField {
  /** `$.storage.luks[0].discard` */
  readonly field: string
  readonly problem: string
  /** The MachineConfig that sets the field, if the rendered config records it. */
  readonly machineConfig?: string
}

/** Ignition retries by itself, after at most 5 seconds at first. */
const retryAfter = 10

const versions = supportedVersions.map(fullVersion)

/** Does not list the pools: their names are for clients with a token. */
export const unknownPool: Refusal = {
  type: 'refusal',
  status: 404,
  reason: 'UnknownPool',
  message: 'there is no MachineConfigPool with this name',
  action: 'Correct the name in the URL of the pointer config, or create the pool.',
}

export function unsupportedVersion({ requested }: AcceptedVersions): Refusal {
  return {
    type: 'refusal',
    status: 406,
    reason: 'UnsupportedVersion',
    message: `Ignition ${requested.slice(0, 8).join(', ')} is not supported`,
    action: 'Request one of the versions of this list in the Accept header.',
    versions,
  }
}

/** Fields in the body of an error. */
const mostFields = 20

export function notExpressible(config: string, to: string, all: readonly LostField[]): Refusal {
  const fields = all.slice(0, mostFields)
  const texts = fields.map(({ field, problem, machineConfig }) => {
    const origin = machineConfig === undefined ? '' : ` (MachineConfig ${machineConfig})`
    return `${field} ${problem}${origin}`
  })
  if (all.length > mostFields) texts.push(`and ${all.length - mostFields} more`)
  return {
    type: 'refusal',
    status: 406,
    reason: 'CannotConvert',
    message: `MachineConfig ${config} cannot be converted to Ignition ${to}: ${texts.join('; ')}`,
    action: 'Boot an OS image whose Ignition supports a newer version, or remove these fields.',
    versions,
    fields,
  }
}

/** A state that another component or a user must change first. */
export function notYet(reason: string, message: string, action: string): Refusal {
  return { type: 'refusal', status: 503, reason, message, action, retryAfter }
}
