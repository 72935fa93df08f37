import type { ApiFailure, StatusCause } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { describeManifest } from '../manifests/manifest.ts'

/** Why the API server rejects an object, with its fields. Values of Secrets are not quoted. */
export function describeRejection(manifest: Manifest, failure: ApiFailure): string {
  const what = describeManifest(manifest)
  const isSecret = manifest.resource === secrets || manifest.resource === controllerConfigs
  const fields = failure.causes.map((cause) => causeText(cause, isSecret))
  if (fields.length > 0) return `${what}: ${[...new Set(fields)].join('; ')}`
  const { message = '' } = failure.status
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, field]) => field)
  if (unknown.length > 0) return `${what}: unknown fields: ${unknown.join(', ')}; remove them`
  if (!isSecret) return `${what}: ${message}`
  const [harmless] = decodingError.exec(message) ?? []
  return `${what}: ${harmless ?? `the API server rejects it (${failure.code} ${failure.reason})`}`
}

/** Errors of Go's decoder name types and positions, never values. */
const decodingError =
  /illegal base64 data at input byte \d+|cannot unmarshal \w+ into Go struct field [\w.]+ of type [\w.]+/

function causeText({ field, reason, message }: StatusCause, isSecret: boolean): string {
  const isHarmless = !isSecret || field?.startsWith('metadata.')
  const why = (isHarmless ? message : undefined) ?? reason ?? 'invalid'
  return field === undefined ? why : `${field}: ${why}`
}
