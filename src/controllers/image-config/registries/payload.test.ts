import { describe, expect, it } from 'vitest'
import { cutOffBy, payloadOf } from './payload.ts'

const digest = 'sha256:4207ba569ff014931f1b5d125fe3751936a768e119546683c899eb09f3cdceb0'

describe('the release image', () => {
  it.each([
    [
      `quay.io/openshift-release-dev/ocp-release@${digest}`,
      'quay.io/openshift-release-dev/ocp-release',
      'digest',
    ],
    [
      'quay.io/openshift-release-dev/ocp-release:4.20',
      'quay.io/openshift-release-dev/ocp-release',
      'tag',
    ],
    [`registry:5000/a/b:1@${digest}`, 'registry:5000/a/b', 'digest'],
    ['localhost/a', 'localhost/a', 'tag'],
  ])('%s', (image, repository, by) => expect(payloadOf(image)).toEqual({ repository, by }))

  it.each([
    '',
    'release',
    'a/b',
    'quay.io',
    'quay.io:443',
    'quay.io/A',
    'quay.io/a@sha256:12',
    'https://quay.io/a',
    'quay.io/a b',
  ])('not %j', (image) => expect(payloadOf(image)).toBeUndefined())

  it('is cut off if its registry is blocked and no mirror serves it', () => {
    const payload = payloadOf(`quay.io/a@${digest}`)!
    const mirror = (pull: string): object => ({ location: 'm.io', insecure: false, pull })
    const entry = (blocked: boolean, ...mirrors: object[]) => [
      { prefix: '', location: 'quay.io', insecure: false, blocked, byDigestOnly: false, mirrors },
    ]
    const isCut = (...given: Parameters<typeof entry>): boolean =>
      cutOffBy(payload, entry(...given) as Parameters<typeof cutOffBy>[1]) !== undefined
    expect(isCut(true)).toBe(true)
    expect(isCut(true, mirror('tag-only'))).toBe(true)
    expect(isCut(true, mirror('digest-only'))).toBe(false)
    expect(isCut(false)).toBe(false)
    expect(cutOffBy(payload, [])).toBeUndefined()
  })
})
