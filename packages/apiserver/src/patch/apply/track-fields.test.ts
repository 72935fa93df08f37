import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfigMap } from '../../../test/patch/arbitrary.ts'
import { kindOf } from '../../../test/patch/replay.ts'
import type { KubeJson } from './track-fields.ts'
import { managedFieldsOf, managerOf, trackFields } from './track-fields.ts'

const kind = kindOf('ConfigMap')
const at = Date.UTC(2026, 0, 1)

describe('the manager of a write', () => {
  it.for([
    ['given', 'me', 'kubectl/v1.32.4 (linux/amd64)', 'me'],
    ['the program', undefined, 'kubectl/v1.32.4 (linux/amd64)', 'kubectl'],
    ['the program, where empty', '', 'tool', 'tool'],
    ['nothing', undefined, undefined, ''],
    ['without what cannot be printed', undefined, 'a\u0007b/1', 'ab'],
    ['at most 128 signs', undefined, 'x'.repeat(200), 'x'.repeat(128)],
  ] as const)('%s', ([, manager, userAgent, expected]) => {
    expect(managerOf(manager, userAgent)).toBe(expected)
  })
})

describe('the owners after a write', () => {
  it('have a default name', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: '1' },
    }
    const written = trackFields(undefined, object, { kind, manager: '', now: at })
    expect(managedFieldsOf(written)).toMatchObject([{ manager: 'unknown', operation: 'Update' }])
  })

  it('do not change if the object does not', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, (object) => {
        const live = trackFields(undefined, object, { kind, manager: 'a', now: at })
        const again = trackFields(live, structuredClone(live), {
          kind,
          manager: 'b',
          now: at + 5000,
        })
        expect(again).toBe(live)
      }),
      { numRuns: 100 },
    )
  })

  it('own each changed field once', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, arbitraryConfigMap, (one, two) => {
        const live = trackFields(undefined, one, { kind, manager: 'a', now: at })
        const after = trackFields(live, two, { kind, manager: 'b', now: at + 5000 })
        const [data, before] = [after['data'] ?? {}, one['data'] ?? {}] as Record<string, string>[]
        const changed = Object.keys(data!).filter((key) => data![key] !== before![key])
        expect(dataOf(after, 'b')).toEqual(changed.sort())
        const kept = Object.keys(data!).filter((key) => data![key] === before![key])
        expect(dataOf(after, 'a')).toEqual(kept.sort())
      }),
      { numRuns: 200 },
    )
  })

  it('include at most ten updaters', () => {
    let live: KubeJson | undefined
    for (let i = 0; i < 15; i++) {
      const data = Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`k${n}`, '1']))
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data }
      live = trackFields(live, object, { kind, manager: `m${i}`, now: at + i * 1000 })
    }
    const managers = entriesOf(live!).map(({ manager }) => manager)
    expect(managers.join()).toBe('ancient-changes,m6,m7,m8,m9,m10,m11,m12,m13,m14')
    expect(dataOf(live!, 'ancient-changes')).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5'])
  })

  it.for([
    ['apps', 'Deployment', 'scale', { spec: { replicas: 3 } }, { 'f:spec': { 'f:replicas': {} } }],
    ['apps', 'Deployment', 'status', { spec: { replicas: 3 } }, undefined],
    [
      'certificates.k8s.io',
      'CertificateSigningRequest',
      '',
      { spec: { username: 'u' } },
      undefined,
    ],
    [
      'certificates.k8s.io',
      'CertificateSigningRequest',
      'approval',
      { status: { conditions: [{ type: 'Approved' }] } },
      {
        'f:status': {
          'f:conditions': { '.': {}, 'k:{"type":"Approved"}': { '.': {}, 'f:type': {} } },
        },
      },
    ],
    ['', 'Namespace', 'finalize', { status: { phase: 'Terminating' } }, undefined],
  ] as const)('of a %s %s through %j', ([group, name, subresource, fields, expected]) => {
    const kindOfIt = { ...kindOf('Deployment'), group, kind: name }
    const object = { apiVersion: 'v1', kind: name, metadata: { name: 'x' }, ...fields }
    const writing = { kind: kindOfIt, manager: 'a', now: at, subresource }
    expect(entriesOf(trackFields(undefined, object, writing))[0]?.fieldsV1).toEqual(expected)
  })

  it('can be set by the client, but not through a subresource', () => {
    const mine = {
      manager: 'other',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': {} },
    }
    const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid: 'u' } }
    const requested = { ...live, metadata: { ...live.metadata, managedFields: [mine] } }
    const writing = { kind, manager: 'a', now: at }
    expect(managedFieldsOf(trackFields(live, requested, writing))).toEqual([mine])
    const status = { ...writing, subresource: 'status' }
    expect(managedFieldsOf(trackFields(live, requested, status))).toBeUndefined()
  })
})

interface Entry {
  readonly manager: string
  readonly fieldsV1: { readonly 'f:data'?: object }
}

function entriesOf(object: KubeJson): readonly Entry[] {
  return (managedFieldsOf(object) ?? []) as readonly Entry[]
}

function dataOf(object: KubeJson, manager: string): string[] {
  const entry = entriesOf(object).find((one) => one.manager === manager)
  return Object.keys(entry?.fieldsV1['f:data'] ?? {})
    .filter((key) => key !== '.')
    .map((key) => key.slice(2))
    .sort()
}
