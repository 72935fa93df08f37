import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { statusBody } from '../status/status-body.ts'
import { StatusError } from '../status/status-error.ts'
import type { VersionQuery } from './list-options.ts'
import { checkListQuery, checkWatchQuery } from './list-options.ts'
import { parseResourceVersion } from './resource-version.ts'

/** The error body; expected values are from kube-apiserver v1.32.4. */
const answer = (run: () => unknown): unknown => {
  const error = thrownBy(run)
  return error instanceof StatusError ? statusBody(error) : error
}

const invalid = (message: string, causes: readonly unknown[]): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `ListOptions.meta.k8s.io "" is invalid: ${message}`,
  reason: 'Invalid',
  details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
  code: 422,
})

const forbidden = (message: string): unknown => ({
  reason: 'FieldValueForbidden',
  message,
  field: 'resourceVersionMatch',
})
const unsupported = (message: string): unknown => ({
  reason: 'FieldValueNotSupported',
  message,
  field: 'resourceVersionMatch',
})

const unlessVersion =
  'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'
const whenContinue = 'Forbidden: resourceVersionMatch is forbidden when continue is provided'
const unlessInitial =
  'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
const needsMatch =
  'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'

describe('the query of a list', () => {
  it.each<VersionQuery>([
    {},
    { resourceVersion: '', resourceVersionMatch: '' },
    { resourceVersion: '5' },
    { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' },
    { resourceVersion: '5', resourceVersionMatch: 'Exact' },
    { continue: 'abc' },
  ])('%j is valid', (query) => {
    expect(answer(() => checkListQuery(query))).toBeUndefined()
  })

  it.each<[VersionQuery, string, unknown[]]>([
    [
      { resourceVersionMatch: 'Exact' },
      `resourceVersionMatch: ${unlessVersion}`,
      [forbidden(unlessVersion)],
    ],
    [
      { resourceVersionMatch: 'Foo' },
      `[resourceVersionMatch: ${unlessVersion}, resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""]`,
      [
        forbidden(unlessVersion),
        unsupported('Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""'),
      ],
    ],
    [
      { resourceVersionMatch: 'Foo', resourceVersion: '5' },
      'resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
      [unsupported('Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""')],
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      [forbidden('Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"')],
    ],
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '0', continue: 'abc' },
      `resourceVersionMatch: ${whenContinue}`,
      [forbidden(whenContinue)],
    ],
    [
      { resourceVersionMatch: 'Exact', continue: 'abc' },
      `[resourceVersionMatch: ${unlessVersion}, resourceVersionMatch: ${whenContinue}]`,
      [forbidden(unlessVersion), forbidden(whenContinue)],
    ],
    [
      { sendInitialEvents: false },
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      [
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: sendInitialEvents is forbidden for list',
          field: 'sendInitialEvents',
        },
      ],
    ],
  ])('%j is rejected', (query, message, causes) => {
    expect(answer(() => checkListQuery(query))).toEqual(invalid(message, causes))
  })
})

describe('the query of a watch', () => {
  it.each<[VersionQuery, boolean]>([
    [{}, true],
    [{ resourceVersion: '0' }, true],
    [{ resourceVersion: '5' }, false],
    [{ resourceVersion: '5', continue: 'abc' }, false],
    [{ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, true],
    [{ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '5' }, true],
    [{ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' }, false],
  ])('%j starts with existing objects: %j', (query, initialEvents) => {
    expect(checkWatchQuery(query)).toEqual({ initialEvents })
  })

  it.each<[VersionQuery, string, unknown[]]>([
    [
      { resourceVersionMatch: 'Exact' },
      `[resourceVersionMatch: ${unlessInitial}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
      [
        forbidden(unlessInitial),
        unsupported('Unsupported value: "Exact": supported values: "NotOlderThan"'),
      ],
    ],
    [
      { resourceVersionMatch: 'NotOlderThan' },
      `resourceVersionMatch: ${unlessInitial}`,
      [forbidden(unlessInitial)],
    ],
    [{ sendInitialEvents: true }, `resourceVersionMatch: ${needsMatch}`, [forbidden(needsMatch)]],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'Exact' },
      `[resourceVersionMatch: ${needsMatch}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
      [
        forbidden(needsMatch),
        unsupported('Unsupported value: "Exact": supported values: "NotOlderThan"'),
      ],
    ],
    [{ continue: 'abc' }, `resourceVersionMatch: ${whenContinue}`, [forbidden(whenContinue)]],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', continue: 'abc' },
      `resourceVersionMatch: ${whenContinue}`,
      [forbidden(whenContinue)],
    ],
  ])('%j is rejected', (query, message, causes) => {
    expect(answer(() => checkWatchQuery(query))).toEqual(invalid(message, causes))
  })
})

describe('a resourceVersion', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['0', 0],
    ['01', 1],
    ['198', 198],
  ])('%j is parsed as %j', (text, revision) => {
    expect(parseResourceVersion(text)).toBe(revision)
  })

  it.each([
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('%j is rejected', (text, why) => {
    expect(answer(() => parseResourceVersion(text))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`,
      code: 500,
    })
  })

  it('of any content is parsed or rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,25}$/)), (text) => {
        const error = thrownBy(() => parseResourceVersion(text))
        expect(error === undefined || error instanceof StatusError).toBe(true)
      }),
    )
  })
})
