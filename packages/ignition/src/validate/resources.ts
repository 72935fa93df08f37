import { utf8Length } from '@machinist/core/encoding/bytes'
import type { HttpHeader, Resource, Verification } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { sourceProblem } from './sources.ts'
import { splitUrl } from './urls.ts'

/** The rules for contents of a file and for a key file. */
export function checkResource(resource: Resource, spec: Spec, place: Place): void {
  if (resource.compression !== undefined && !['', 'gzip'].includes(resource.compression)) {
    place.at('compression').error('must be "gzip" or absent')
  }
  if (resource.verification?.hash !== undefined && resource.source === undefined) {
    place.at('verification', 'hash').error('requires a source')
  }
  checkReference(resource, spec, place)
}

/** The rules for a referenced config and for a CA. In 3.0 they have fewer fields than a resource. */
export function checkConfigResource(resource: Resource, spec: Spec, place: Place): void {
  if (specAtLeast(spec, '3.1')) checkResource(resource, spec, place)
  else checkReference(resource, spec, place)
}

export function requireSource(resource: Resource, place: Place): void {
  if (!resource.source) place.at('source').error('is required here')
}

function checkReference(resource: Resource, spec: Spec, place: Place): void {
  if (resource.source) {
    const problem = sourceProblem(resource.source, spec)
    if (problem) place.at('source').error(problem)
  }
  if (resource.verification) {
    checkHashFormat(resource.verification, spec, place.at('verification', 'hash'))
  }
  checkHeaders(resource, place.at('httpHeaders'))
}

function checkHashFormat({ hash }: Verification, spec: Spec, place: Place): void {
  if (hash === undefined) return
  const dash = hash.indexOf('-')
  if (dash < 0) return place.error('must look like sha512-<digest in hexadecimal>')
  const digits = digestDigits(hash.slice(0, dash), spec)
  if (digits === undefined) {
    place.error(`must begin with sha512-${specAtLeast(spec, '3.1') ? ' or sha256-' : ''}`)
  } else if (utf8Length(hash) - dash - 1 !== digits) {
    place.error(`must have ${digits} hexadecimal digits after the dash`)
  }
}

function digestDigits(name: string, spec: Spec): number | undefined {
  if (name === 'sha512') return 128
  return name === 'sha256' && specAtLeast(spec, '3.1') ? 64 : undefined
}

function checkHeaders({ httpHeaders = [], source = '' }: Resource, place: Place): void {
  if (httpHeaders.length === 0) return
  const scheme = splitUrl(source)?.scheme ?? ''
  if (!['http', 'https'].includes(scheme)) {
    place.error('only a source that begins with http: or https: can have headers')
  }
  for (const [i, header] of httpHeaders.entries()) checkHeader(header, place.at(i))
}

function checkHeader({ name, value }: HttpHeader, place: Place): void {
  if (name === '') place.at('name').error('is empty')
  if (value === '') place.at('value').error('is empty; omit it to remove an inherited header')
}
