import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'
import { decide } from './decide.ts'
import type { ServerCertificatesFacts } from './facts.ts'
import { isOfServer, serverRotation } from './server-rotation.ts'

const namespace = 'openshift-machine-config-operator'
const hostnames = ['192.0.2.5', 'api-int.example.com']
const now = Date.parse('2026-01-02T00:00:00Z')
const rotation: TrustRotation = {
  ...serverRotation(hostnames),
  metadata: { ...serverRotation(hostnames).metadata, resourceVersion: '7' },
}

const facts = (more: Partial<ServerCertificatesFacts> = {}): ServerCertificatesFacts => ({
  now,
  hostnames,
  rotations: [rotation],
  certificate: undefined,
  caBundle: undefined,
  userData: undefined,
  record: undefined,
  isRecordKnown: true,
  ...more,
})
const none = (more: Partial<ServerCertificatesFacts> = {}): ServerCertificatesFacts =>
  facts({ rotations: [], certificate: 'absent', ...more })
const replaced = (changes: Partial<TrustRotation['spec']>, more = {}): unknown =>
  decide(facts({ rotations: [{ ...rotation, spec: { ...rotation.spec, ...changes } }], ...more }))

describe('the TrustRotation of the machine config server', () => {
  it('is created with explicit times', () => {
    expect(decide(none())).toEqual({
      rotation: {
        create: {
          metadata: {
            name: 'machine-config-server',
            labels: { 'app.kubernetes.io/managed-by': 'machine-config-operator' },
          },
          spec: {
            signer: {
              namespace,
              name: 'machine-config-server-ca',
              validity: '87600h',
              refresh: '70080h',
            },
            bundle: { namespace, name: 'machine-config-server-ca' },
            targets: [
              {
                namespace,
                name: 'machine-config-server-tls',
                validity: '87600h',
                refresh: '70080h',
                usage: 'server',
                commonName: 'system:machine-config-server',
                hostnames: ['192.0.2.5', 'api-int.example.com'],
              },
            ],
            userData: { namespace, name: 'machine-config-user-data', settle: '168h' },
            leafSettle: '24h',
          },
        },
      },
    })
    expect(readRotation(serverRotation(hostnames))).toMatchObject({
      settle: { leafMs: 86_400_000 },
      userData: { settleMs: 7 * 86_400_000 },
    })
  })

  it('is created after the bundle with the CA of existing user data', () => {
    const { rotation: change } = decide(none({ caBundle: 'PEM' }))
    expect(change).toMatchObject({
      bundle: {
        metadata: { namespace, name: 'machine-config-server-ca' },
        data: { 'ca-bundle.crt': 'PEM' },
      },
    })
  })

  it('is created for a certificate that the signer wrote, and not for another one', () => {
    expect(decide(none({ certificate: 'managed' }))).toHaveProperty('rotation.create')
    expect(decide(none({ certificate: 'unmanaged' }))).toEqual({
      skipped: `Secret ${namespace}/machine-config-server-tls is not managed by the signer, and stays as it is. To have it rotated, label it auth.openshift.io/managed-certificate-type=target`,
    })
  })

  it('is not created while the names of the server are unknown', () => {
    expect(decide(none({ hostnames: [] }))).toEqual({
      skipped:
        'the names of the machine config server are unknown: status.apiServerInternalURI of Infrastructure cluster is not set',
    })
  })

  it('is unchanged if it is up to date', () => {
    expect(decide(facts())).toEqual({})
  })

  it('gets other host names, but keeps them while they are unknown', () => {
    expect(decide(facts({ hostnames: ['api-int.example.com'] }))).toMatchObject({
      rotation: {
        replace: {
          metadata: { resourceVersion: '7' },
          spec: { targets: [{ hostnames: ['api-int.example.com'] }] },
        },
      },
    })
    expect(decide(facts({ hostnames: [] }))).toEqual({})
    expect(replaced({ targets: [] }, { hostnames: [] })).toEqual({})
  })

  it('keeps times, keys and further certificates of users', () => {
    const [target] = rotation.spec.targets!
    const mine = { ...target!, name: 'mine' }
    const spec: TrustRotation['spec'] = {
      ...rotation.spec,
      signer: { ...rotation.spec.signer, validity: '8760h', refresh: '700h', key: 'ECDSA-P256' },
      targets: [{ ...target!, validity: '720h', refresh: '100h' }, mine],
      userData: { ...rotation.spec.userData!, settle: '1m' },
      leafSettle: '1m',
      renew: 'WhenExpired',
      override: { authority: 'a', nodes: [] },
    }
    expect(replaced(spec)).toEqual({})
    expect(replaced({ ...spec, targets: [mine] })).toMatchObject({
      rotation: { replace: { spec: { ...spec, targets: [target, mine] } } },
    })
  })

  it('gets back the objects that the server needs', () => {
    const other = { namespace: 'other', name: 'other' }
    const { userData: _, ...others } = rotation.spec
    const lost = { ...rotation, spec: { ...others, signer: other, bundle: other } }
    expect(decide(facts({ rotations: [lost] }))).toMatchObject({
      rotation: {
        replace: {
          spec: {
            signer: { namespace, name: 'machine-config-server-ca' },
            bundle: rotation.spec.bundle,
            userData: { namespace, name: 'machine-config-user-data' },
          },
        },
      },
    })
  })

  it.each<[string, TrustRotation[]]>([
    ['without the label', [{ ...rotation, metadata: { name: 'machine-config-server' } }]],
    ['of another name', [{ ...rotation, metadata: { ...rotation.metadata, name: 'mine' } }]],
    ['beside that of the operator', [rotation, { ...rotation, metadata: { name: 'mine' } }]],
    [
      'that is being deleted',
      [{ ...rotation, metadata: { ...rotation.metadata, deletionTimestamp: 'now' } }],
    ],
  ])('is left to the user: %s', (_, rotations) => {
    expect(decide(facts({ rotations, hostnames: ['other'] }))).toEqual({})
  })

  it('is recognized by any of its objects', () => {
    const place = { namespace: 'a', name: 'b' }
    const bare = { signer: place, bundle: place }
    expect(isOfServer({ metadata: { name: 'a' }, spec: bare })).toBe(false)
    expect(isOfServer({ metadata: { name: 'a' }, spec: {} as never })).toBe(false)
    const { signer, bundle, targets } = rotation.spec
    for (const part of [{ signer }, { bundle }, { targets: targets! }]) {
      expect(isOfServer({ metadata: { name: 'a' }, spec: { ...bare, ...part } })).toBe(true)
    }
  })

  it('has the names after one write, whatever it was', () => {
    const name = fc.constantFrom('a', 'b.example', '192.0.2.1')
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.uniqueArray(name), (before, after) => {
        const found = serverRotation(before)
        const { rotation: change } = decide(facts({ rotations: [found], hostnames: after }))
        const written = change && 'replace' in change ? change.replace : found
        expect(decide(facts({ rotations: [written], hostnames: after }))).toEqual({})
        // Without names the last ones stay.
        expect(written).toEqual(serverRotation(after.length > 0 ? after : before))
      }),
    )
  })
})

describe('the record of the CAs in user data', () => {
  const metadata = { namespace, name: 'machine-config-user-data', resourceVersion: '3' }
  const userData = new Map([
    ['worker', ['a', 'b']],
    ['master', ['b']],
  ])
  const first = '2026-01-01T00:00:00Z'
  const data = {
    master: '{"b":"2026-01-02T00:00:00Z"}',
    worker: '{"a":"2026-01-02T00:00:00Z","b":"2026-01-02T00:00:00Z"}',
  }

  it('is created, also if no pool has user data', () => {
    const place = { namespace, name: 'machine-config-user-data' }
    expect(decide(facts({ userData }))).toEqual({ record: { create: { metadata: place, data } } })
    expect(decide(facts({ userData: new Map() }))).toEqual({
      record: { create: { metadata: place, data: {} } },
    })
  })

  it('is unchanged if it is up to date', () => {
    expect(decide(facts({ userData, record: { metadata, data } }))).toEqual({})
    const empty = decide(facts({ userData: new Map(), record: { metadata } }))
    expect(empty).toEqual({})
  })

  it('keeps the time of known CAs, and loses pools and CAs that are gone', () => {
    const known = { infra: '{}', worker: `{"a":"${first}","c":"${first}"}` }
    expect(decide(facts({ userData, record: { metadata, data: known } }))).toEqual({
      record: {
        metadata: { resourceVersion: '3' },
        data: {
          infra: null,
          master: data.master,
          worker: `{"a":"${first}","b":"2026-01-02T00:00:00Z"}`,
        },
      },
    })
  })

  it('is not written while user data or the record is unknown', () => {
    expect(decide(facts({ userData: undefined }))).toEqual({})
    expect(decide(facts({ userData, isRecordKnown: false }))).toEqual({})
  })

  it('does not depend on the TrustRotation', () => {
    expect(decide(none({ userData, hostnames: [] }))).toHaveProperty('record.create')
  })
})
