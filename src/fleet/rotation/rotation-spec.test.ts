import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { spec } from '../../signer/rotation/decide/decide-facts.fixture.ts'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import { resolveRotation } from '../../signer/rotation/actionable.ts'
import { readRotation } from './rotation-spec.ts'

const named = (name: string, given: unknown, created = '2026-01-01T00:00:00Z'): TrustRotation => ({
  metadata: { name, creationTimestamp: created },
  spec: given as TrustRotation['spec'],
})
const hour = 3_600_000

describe('the spec', () => {
  it('has defaults', () => {
    const rotation = readRotation(named('kubelet', { signer: spec.signer, bundle: spec.bundle }))
    expect(rotation).toEqual({
      name: 'kubelet',
      signer: {
        namespace: 'keys',
        name: 'signer',
        validityMs: 8760 * hour,
        refreshMs: 7008 * hour,
        key: 'rsa-2048',
      },
      bundle: { namespace: 'keys', name: 'ca' },
      publishedIn: [],
      targets: [],
      settle: { nodeMs: 120_000, leafMs: 600_000 },
      onlyWhenExpired: false,
    })
    const [target] = readRotation(named('kubelet', spec)).targets
    expect(target).toMatchObject({ validityMs: 720 * hour, refreshMs: 360 * hour })
  })

  it('refreshes after four fifths of validity if refresh is not set', () => {
    const signer = { ...spec.signer, validity: '10h' }
    expect(readRotation(named('a', { ...spec, signer })).signer).toMatchObject({
      validityMs: 10 * hour,
      refreshMs: 8 * hour,
    })
  })

  it('waits 168h for machines with older user data, unless userData says otherwise', () => {
    const place = { namespace: 'keys', name: 'user-data' }
    const userDataIn = (userData: object): unknown =>
      readRotation(named('a', { ...spec, userData })).userData
    expect(userDataIn(place)).toEqual({ ...place, settleMs: 168 * hour })
    expect(userDataIn({ ...place, settle: '2h' })).toEqual({ ...place, settleMs: 2 * hour })
    expect(readRotation(named('a', spec)).userData).toBe(undefined)
  })

  it('normalizes names and addresses, and has none for clients', () => {
    const server = { ...spec.targets![1]!, hostnames: ['B.example', 'a', '10.0.0.1', 'FD00:0::1'] }
    const client = { ...spec.targets![0]!, hostnames: ['a'] }
    const { targets } = readRotation(named('a', { ...spec, targets: [server, client] }))
    expect(targets.map((each) => each.hostnames.all)).toEqual([
      ['10.0.0.1', 'a', 'b.example', 'fd00::1'],
      [],
    ])
  })

  it.each([
    ['there is no spec', undefined],
    ['spec.signer does not name an object: namespace and name are needed', { bundle: spec.bundle }],
    ['spec.settle is not a duration such as 8760h or 1h30m', { ...spec, settle: '0s' }],
    ['spec.leafSettle is not a duration such as 8760h or 1h30m', { ...spec, leafSettle: 'x' }],
    ['spec.trustedBy: "me" is not known', { ...spec, trustedBy: 'me' }],
    ['spec.targets is not a list', { ...spec, targets: {} }],
    [
      'spec.signer: refresh must be shorter than validity',
      { ...spec, signer: { ...spec.signer, validity: '1h', refresh: '1h' } },
    ],
    ['spec.signer.key: "DSA" is not known', { ...spec, signer: { ...spec.signer, key: 'DSA' } }],
    [
      'spec.targets[0].hostnames: "a b" is neither a DNS name nor an IP address',
      { ...spec, targets: [{ ...spec.targets![1], hostnames: ['a b'] }] },
    ],
    [
      'spec.targets[0].hostnames: "10.0.0.256" is neither a DNS name nor an IP address',
      { ...spec, targets: [{ ...spec.targets![1], hostnames: ['10.0.0.256'] }] },
    ],
    [
      'spec.targets[0]: a server needs hostnames',
      { ...spec, targets: [{ ...spec.targets![1], hostnames: [] }] },
    ],
    [
      'Secret keys/signer is named twice',
      { ...spec, targets: [{ ...spec.targets![0], name: 'signer' }] },
    ],
    ['ConfigMap keys/ca is named twice', { ...spec, publishedIn: [spec.bundle] }],
    [
      'spec.userData does not name an object: namespace and name are needed',
      { ...spec, userData: null },
    ],
    [
      'spec.userData.settle is not a duration such as 8760h or 1h30m',
      { ...spec, userData: { namespace: 'keys', name: 'user-data', settle: 'a week' } },
    ],
    ['ConfigMap keys/ca is written and in userData', { ...spec, userData: spec.bundle }],
    [
      'ConfigMap keys/ca is written and in a "with"',
      { ...spec, publishedIn: [{ namespace: 'keys', name: 'x', with: [spec.bundle] }] },
    ],
  ])('is rejected: %s', (message, given) => {
    expect(() => readRotation(named('kubelet', given))).toThrow(new InvalidInput(message))
    expect(resolveRotation(named('kubelet', given), [])).toEqual({ reason: 'BadSpec', message })
  })

  it('never fails in any other way', () => {
    const anyPart = fc.tuple(
      fc.constantFrom(...Object.keys(spec)),
      fc.oneof(
        fc.anything(),
        fc.anything().map((each) => [each]),
      ),
    )
    const changed = ([key, value]: [string, unknown]): unknown => ({ ...spec, [key]: value })
    const anySpec = fc.oneof(fc.anything(), anyPart.map(changed))
    fc.assert(
      fc.property(anySpec, (given) => {
        expect(resolveRotation(named('kubelet', given), [])).toBeTypeOf('object')
      }),
      { numRuns: 500 },
    )
  })
})

describe('two rotations that write the same object', () => {
  const second = { ...spec, signer: { namespace: 'keys', name: 'other' } }

  it('the older one owns it', () => {
    const older = named('z', spec)
    const younger = named('a', second, '2026-01-01T00:00:01Z')
    expect(resolveRotation(older, [older, younger])).toMatchObject({ name: 'z' })
    expect(resolveRotation(younger, [older, younger])).toEqual({
      reason: 'Shared',
      message:
        'Secret keys/one is managed by TrustRotation z, which is older: specify another object, or delete one of the TrustRotations',
    })
  })

  it('of the same age: the first by name owns it', () => {
    const all = [named('b', spec), named('a', second)]
    expect(resolveRotation(all[0]!, all)).toMatchObject({ reason: 'Shared' })
    expect(resolveRotation(all[1]!, all)).toMatchObject({ name: 'a' })
  })

  it('an invalid one owns nothing, and objects that are only read can be shared', () => {
    const broken = named('a', { ...spec, settle: 'x' }, '2025-01-01T00:00:00Z')
    const rotation = named('b', spec)
    expect(resolveRotation(rotation, [broken, rotation])).toMatchObject({ name: 'b' })
    const reader = named('c', {
      signer: { namespace: 'c', name: 'c' },
      bundle: { namespace: 'c', name: 'c' },
      publishedIn: [{ namespace: 'c', name: 'd', with: [spec.bundle] }],
    })
    expect(resolveRotation(reader, [rotation, reader])).toMatchObject({ name: 'c' })
  })
})
