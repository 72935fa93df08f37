import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { arbitraryConfigMap, arbitraryJson } from '../../../test/patch/arbitrary.ts'
import { mistakeOf } from '../../../test/patch/mistake-of.ts'
import { kindOf } from '../../../test/patch/replay.ts'
import { StatusError } from '../../status/status-error.ts'
import { applyConfiguration } from './apply-configuration.ts'
import type { KubeJson } from './track-fields.ts'
import { managedFieldsOf, trackFields } from './track-fields.ts'

const kind = kindOf('ConfigMap')
const at = Date.UTC(2026, 0, 1)
const by = (manager: string, seconds = 0): { kind: typeof kind; manager: string; now: number } => ({
  kind,
  manager,
  now: at + seconds * 1000,
})
const map = (data: Record<string, string>): KubeJson => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x' },
  data,
})
const empty: KubeJson = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }

describe('server-side apply', () => {
  it('creates an object', () => {
    expect(applyConfiguration(undefined, map({ a: '1' }), by('me'))).toEqual({
      ...map({ a: '1' }),
      metadata: {
        name: 'x',
        managedFields: [
          {
            manager: 'me',
            operation: 'Apply',
            apiVersion: 'v1',
            time: '2026-01-01T00:00:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
    })
  })

  it('returns the live object if nothing changes', () => {
    const live = applyConfiguration(undefined, map({ a: '1' }), by('me'))
    expect(applyConfiguration(live, map({ a: '1' }), by('me', 60))).toBe(live)
  })

  it('reports the owners of conflicting fields', () => {
    const live = trackFields(undefined, map({ a: '1' }), by('you'))
    expect(thrownBy(() => applyConfiguration(live, map({ a: '2' }), by('me')))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "you" using v1: .data.a',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "you" using v1',
            field: '.data.a',
          },
        ],
      },
    })
    expect(applyConfiguration(live, map({ a: '2' }), { ...by('me'), force: true })['data']).toEqual(
      { a: '2' },
    )
  })

  it('ignores an invalid list of owners', () => {
    const live = { ...empty, metadata: { name: 'x', managedFields: [{ operation: 'Frob' }] } }
    expect(thrownBy(() => applyConfiguration(live, empty, by('me')))).toMatchObject({ code: 500 })
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, arbitraryConfigMap, (live, config) => {
        const before = trackFields(undefined, live, by('you'))
        const once = applyConfiguration(before, config, { ...by('me', 1), force: true })
        expect(applyConfiguration(once, config, by('me', 2))).toBe(once)
      }),
      { numRuns: 200 },
    )
  })

  it('when withdrawn keeps the fields of others', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, arbitraryConfigMap, (live, config) => {
        const before = trackFields(undefined, live, by('you'))
        const after = orBefore(before, () => applyConfiguration(before, config, by('me', 1)))
        const back = applyConfiguration(after, empty, by('me', 2))
        expect(sorted(back)).toEqual(sorted(before))
        expect(managedFieldsOf(back)).toEqual(managedFieldsOf(before))
      }),
      { numRuns: 200 },
    )
  })

  it.for(['ConfigMap', 'Pod', 'MachineConfigPool', 'MachineConfig'])(
    'of random input to a %s throws only StatusError',
    (name) => {
      const nonsense = kindOf(name)
      const { group, version } = nonsense
      const apiVersion = group === '' ? version : `${group}/${version}`
      const envelope = { apiVersion, kind: name, metadata: { name: 'x' } }
      const object = fc.record({
        metadata: arbitraryJson,
        spec: arbitraryJson,
        data: arbitraryJson,
      })
      fc.assert(
        fc.property(object, object, fc.boolean(), (one, two, force) => {
          const [live, config] = [
            { ...envelope, ...one },
            { ...envelope, ...two },
          ] as const
          const writing = { kind: nonsense, manager: 'me', now: at, force }
          expect(mistakeOf(() => applyConfiguration(live, config, writing))).toBeUndefined()
          expect(thrownBy(() => trackFields(live, config, writing))).toBeUndefined()
        }),
        { numRuns: 150 },
      )
    },
  )
})

function orBefore(before: KubeJson, attempt: () => KubeJson): KubeJson {
  try {
    return attempt()
  } catch (thrown) {
    if (thrown instanceof StatusError) return before
    throw thrown
  }
}

/** The order of items in a set is irrelevant. */
function sorted(object: KubeJson): unknown {
  const {
    finalizers,
    managedFields: _,
    ...metadata
  } = object['metadata'] as Record<string, unknown>
  const items = [...((finalizers as string[] | undefined) ?? [])].sort()
  return { ...object, metadata: { ...metadata, finalizers: items } }
}
