import { expect, it } from 'vitest'
import type { PublishedFacts, CertificateFacts } from '../facts/facts.ts'
import { atRest, authority, bundle, day, rotationOf, spec, start } from './decide-facts.fixture.ts'
import { desiredAuthorities } from './desired-authorities.ts'

const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
const [own, other, old] = [authority('2'), authority('other'), authority('1')]
const ended = authority('0', start - 400 * day)

const facts = (
  place: Partial<PublishedFacts>,
  changes: Partial<CertificateFacts> = {},
): CertificateFacts =>
  atRest({
    rotation: rotationOf({ ...spec, publishedIn: [source] }),
    bundle: bundle(own),
    published: [{ key: source, inputs: [], ...place }],
    ...changes,
  })

const input = (problem?: string): PublishedFacts['inputs'][number] => ({
  key: { namespace: 'keys', name: 'other' },
  bundle: { ...bundle(other, ended), ...(problem && { problem }) },
})

const desired = (given: CertificateFacts): string[] | undefined => {
  const found = desiredAuthorities(given)
  return found && [...found]
}

it('the desired CAs are those of the bundle and the other inputs, without expired ones', () => {
  const given = { inputs: [input()], found: bundle(own, old) }
  expect(desired(facts(given))).toEqual(['fingerprint of 2', 'fingerprint of other'])
})

it('the desired CAs are the published ones while an input cannot be parsed or does not exist yet', () => {
  const kept = ['fingerprint of 2', 'fingerprint of 1']
  expect(desired(facts({ inputs: [input('torn')], found: bundle(own, old) }))).toEqual(kept)
  const awaited = { namespace: 'keys', name: 'other' }
  expect(desired(facts({ inputs: [], awaited, found: bundle(own, old) }))).toEqual(kept)
})

it('the desired CAs are unknown if the bundle is missing or damaged, or is published elsewhere', () => {
  expect(desired(facts({}, { bundle: undefined }))).toBe(undefined)
  expect(desired(facts({}, { bundle: { ...bundle(own), problem: 'torn' } }))).toBe(undefined)
  expect(desired(facts({}, { rotation: rotationOf() }))).toBe(undefined)
})
