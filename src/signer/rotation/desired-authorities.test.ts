import { expect, it } from 'vitest'
import { atRest, authority, bundle, day, rotationOf, spec, start } from './decide-world.fixture.ts'
import { desiredAuthorities } from './desired-authorities.ts'
import type { PublishedFacts, RotationFacts } from './facts.ts'

const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
const [own, other, old] = [authority('2'), authority('other'), authority('1')]
const ended = authority('0', start - 400 * day)

const facts = (
  place: Partial<PublishedFacts>,
  changes: Partial<RotationFacts> = {},
): RotationFacts =>
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

const desired = (given: RotationFacts): string[] | undefined => {
  const found = desiredAuthorities(given)
  return found && [...found]
}

it('nodes are to hold the bundle and what others give beside it, but for what has ended', () => {
  const given = { inputs: [input()], found: bundle(own, old) }
  expect(desired(facts(given))).toEqual(['fingerprint of 2', 'fingerprint of other'])
})

it('nodes keep what is published while a part of it cannot be read, or is yet to be made', () => {
  const kept = ['fingerprint of 2', 'fingerprint of 1']
  expect(desired(facts({ inputs: [input('torn')], found: bundle(own, old) }))).toEqual(kept)
  const awaited = { namespace: 'keys', name: 'other' }
  expect(desired(facts({ inputs: [], awaited, found: bundle(own, old) }))).toEqual(kept)
})

it('what nodes are to hold is not known where the bundle is gone or torn, or is published elsewhere', () => {
  expect(desired(facts({}, { bundle: undefined }))).toBe(undefined)
  expect(desired(facts({}, { bundle: { ...bundle(own), problem: 'torn' } }))).toBe(undefined)
  expect(desired(facts({}, { rotation: rotationOf() }))).toBe(undefined)
})
