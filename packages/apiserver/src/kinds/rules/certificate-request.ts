import { sameJson } from '@machinist/core/encoding/json'
import type { UserInfo } from '../../identity/user-info.ts'
import type { StatusCause } from '../../status/status-error.ts'
import {
  duplicateValue,
  forbidden,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/causes.ts'
import { certificateProblem } from '../certificates/issued-certificate.ts'
import { signerNameProblems } from '../certificates/signer-name.ts'
import { readSigningRequest } from '../certificates/signing-request.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { bytesText, specOf, statusOf, textOf, textsOf } from '../fields.ts'
import {
  conditionProblems,
  conditionsOf,
  decisions,
  keepDecision,
  lastingTypes,
  setTimes,
} from './certificate-conditions.ts'

export const certificateRequestRules: KindRules = {
  nameRule: 'path-segment',
  complete(request) {
    const status = statusOf(request)
    if (conditionsOf(request).length === 0) delete status['conditions']
    if (status['certificate'] === '') delete status['certificate']
  },
  prepareForCreate(request, { user }) {
    request['status'] = {}
    nameRequester(specOf(request), user)
  },
  /** The spec is immutable, so that an approval cannot be reused for another request. */
  prepareForUpdate(request, before, { subresource, now }) {
    request['spec'] = before['spec']
    if (subresource === 'status') keepDecision(request, before)
    if (subresource !== undefined) setTimes(request, before, now)
  },
  validate(request, before, { subresource }) {
    return [
      ...specProblems(request, before),
      ...conditionProblems(request, before),
      ...certificateProblems(request, before),
      ...(before ? changeProblems(request, before, subresource) : []),
    ]
  },
}

/** The requester is always the authenticated user. */
function nameRequester(spec: Fields, user: UserInfo | undefined): void {
  for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field]
  if (!user) return
  spec['username'] = user.username
  if (user.uid) spec['uid'] = user.uid
  spec['groups'] = [...user.groups]
  if (Object.keys(user.extra ?? {}).length > 0) spec['extra'] = structuredClone(user.extra)
}

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
const legacySigner = 'kubernetes.io/legacy-unknown'
const shortestSeconds = 600

/** The spec is validated at creation only. */
function specProblems(request: ApiObject, before: ApiObject | undefined): StatusCause[] {
  if (before) return []
  const spec = specOf(request)
  const requested = textsOf(spec['usages'])
  const signer = textOf(spec['signerName'])
  const seconds = spec['expirationSeconds']
  return [
    ...requestProblems(spec['request']),
    ...(requested.length === 0 ? [requiredValue('spec.usages')] : []),
    ...requested.flatMap((usage, place) =>
      usages.includes(usage) ? [] : [unsupportedValue(`spec.usages[${place}]`, usage, usages)],
    ),
    ...requested.flatMap((usage, place) =>
      requested.indexOf(usage) === place ? [] : [duplicateValue(`spec.usages[${place}]`, usage)],
    ),
    ...(signer === legacySigner
      ? [invalidValue('spec.signerName', signer, legacyRefused)]
      : signerNameProblems(signer)),
    ...(typeof seconds === 'number' && seconds < shortestSeconds
      ? [invalidValue('spec.expirationSeconds', seconds, tooShort)]
      : []),
  ]
}

const legacyRefused = 'the legacy signerName is not allowed via this API version'
const tooShort = 'may not specify a duration less than 600 seconds (10 minutes)'

function requestProblems(sent: unknown): StatusCause[] {
  const read = readSigningRequest(decoded(sent))
  if (!('problem' in read)) return []
  const message = `Invalid value: ${bytesText(sent)}: ${read.problem}`
  return [{ reason: 'FieldValueInvalid', message, field: 'spec.request' }]
}

const decoded = (value: unknown): string => Buffer.from(textOf(value), 'base64').toString('latin1')

function certificateProblems(request: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const certificate = certificateOf(request)
  if (certificate === '' || (before && certificateOf(before) === certificate)) return []
  const problem = certificateProblem(decoded(certificate))
  if (problem === undefined) return []
  return [invalidValue('status.certificate', '<certificate data>', problem)]
}

const certificateOf = (request: ApiObject): string => textOf(statusOf(request)['certificate'])

/** Each subresource changes one field: `approval` the decision, `status` the certificate. */
function changeProblems(
  request: ApiObject,
  before: ApiObject,
  subresource: string | undefined,
): StatusCause[] {
  const counts = (object: ApiObject, type: string): Fields[] =>
    conditionsOf(object).filter((condition) => condition['type'] === type)
  const field = 'status.conditions'
  const removed = lastingTypes
    .filter((type) => counts(request, type).length < counts(before, type).length)
    .map((type) => forbidden(field, `updates may not remove a condition of type "${type}"`))
  const decided = subresource === 'approval' ? [] : decisions
  const changed = decided.flatMap((type) => {
    const [now, old] = [counts(request, type), counts(before, type)]
    if (now.length < old.length || sameJson(now, old)) return []
    const verb = now.length > old.length ? 'add' : 'modify'
    return [forbidden(field, `updates may not ${verb} a condition of type "${type}"`)]
  })
  return [...removed, ...changed, ...certificateChange(request, before, subresource)]
}

function certificateChange(
  request: ApiObject,
  before: ApiObject,
  subresource: string | undefined,
): StatusCause[] {
  const old = certificateOf(before)
  if (certificateOf(request) === old) return []
  if (subresource !== 'status') {
    return [forbidden('status.certificate', 'updates may not set certificate content')]
  }
  if (old === '') return []
  return [forbidden('status.certificate', 'updates may not modify existing certificate content')]
}
