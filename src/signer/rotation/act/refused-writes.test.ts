import { expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { authority } from '../decide/decide-facts.fixture.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { RotationObjects } from '../facts/objects.ts'
import { refusedMs, RefusedWrites } from './refused-writes.ts'

const secret = (resourceVersion: string): Secret => ({ metadata: { name: 's', resourceVersion } })
const map: ConfigMap = { metadata: { name: 'm', resourceVersion: '1' } }
const found = {
  signer: secret('1'),
  bundle: map,
  published: [map],
  targets: [secret('1'), undefined],
  pairs: {},
  certificates: new Map(),
} satisfies RotationObjects
const object = { metadata: { name: 'kubelet', generation: 1 }, spec: {} as never }
const issue: RotationWrite = { type: 'target', index: 1, action: 'issue', by: 'current', why: 'x' }
const renew: RotationWrite = {
  type: 'signer',
  action: 'renew',
  name: 'x@1',
  keep: 'none',
  why: 'x',
}
const bundle: RotationWrite = {
  type: 'bundle',
  authorities: [authority('1')],
  own: [],
  why: 'x',
}
const publish: RotationWrite = { type: 'published', index: 0, authorities: [authority('1')] }

it('remembers rejected writes for a minute, also if only the time in a name differs', async () => {
  const clock = new VirtualClock()
  const refused = new RefusedWrites(clock)
  for (const write of [issue, renew, bundle, publish]) {
    expect(refused.why(write, { object, found })).toBe(undefined)
    refused.note(write, { object, found }, `no ${write.type}`)
    expect(refused.why(write, { object, found })).toBe(`no ${write.type}`)
  }
  expect(refused.why({ ...renew, name: 'x@2', why: 'y' }, { object, found })).toBe('no signer')
  await clock.advance(refusedMs)
  expect(refused.why(issue, { object, found })).toBe(undefined)
})

it('allows a different write at once', () => {
  const refused = new RefusedWrites(new VirtualClock())
  for (const write of [issue, renew, bundle]) refused.note(write, { object, found }, 'no')
  const why = (write: RotationWrite, changes: object = {}, of = object): string | undefined =>
    refused.why(write, { object: of, found: { ...found, ...changes } })
  expect(why({ ...issue, index: 0 })).toBe(undefined)
  expect(why({ type: 'signer', action: 'set-metadata', why: 'x' })).toBe(undefined)
  expect(why({ ...bundle, authorities: [authority('2')] })).toBe(undefined)
  expect(why(renew, { signer: secret('2') })).toBe(undefined)
  expect(why(issue, { targets: [undefined, secret('2')] })).toBe(undefined)
  const metadata = { name: 'kubelet', generation: 2 }
  expect(why(issue, {}, { ...object, metadata })).toBe(undefined)
  expect(why(issue, {}, { ...object, metadata: { name: 'other', generation: 1 } })).toBe(undefined)
  expect(why(issue)).toBe('no')
  refused.forget('other')
  expect(why(issue)).toBe('no')
  refused.forget('kubelet')
  expect(why(issue)).toBe(undefined)
})
