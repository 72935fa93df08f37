import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAccept } from './accept.ts'

const all = ['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5']
const of = (...versions: string[]): string =>
  versions.map((version) => `application/vnd.coreos.ignition+json;version=${version}`).join(', ')

describe('the version of a request', () => {
  it.each([
    ['2.2.0', '2.2'],
    ['2.2.7', '2.2'],
    ['2.3.0', '2.2'],
    ['2.4.0', '2.2'],
    ['3.0.0', '3.0'],
    ['3.1.0', '3.1'],
    ['3.2.0', '3.2'],
    ['3.2.1', '3.2'],
    ['3.3.0', '3.3'],
    ['3.4.0', '3.4'],
    ['3.5.0', '3.5'],
    ['3.6.0', '3.5'],
    ['3.99.0', '3.5'],
    ['3.6.0-experimental', '3.5'],
    ['3.5.0-experimental', '3.4'],
    ['3.0.0-experimental', '2.2'],
    ['4.0.0-alpha.1+build', '3.5'],
  ])('%s is served as %s', (requested, version) => {
    expect(parseAccept(`${of(requested)}, */*;q=0.1`)).toEqual({
      versions: [version],
      requested: [requested],
    })
  })

  it.each(['1.0.0', '2.0.0', '2.1.0', '2.2.0-dev', '4.0.0', '0.0.0'])(
    '%s is not supported',
    (requested) => {
      const none = { versions: [], requested: [requested] }
      expect(parseAccept(of(requested))).toEqual(none)
      expect(parseAccept(`${of(requested)}, */*;q=0.1`)).toEqual(none)
    },
  )

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no version', 'application/vnd.coreos.ignition+json'],
    ['another type', 'text/plain'],
    ['an invalid header', 'an-invalid-accept-header'],
    ['anything', '*/*'],
    ['an invalid version', of('1')],
    ['a version with two parts', of('3.2')],
    ['a quoted version', of('"3.2.0"')],
    ['a version that is not a number', of('three')],
    ['another subtype', 'application/vnd.coreos.ignition+json2;version=3.2.0'],
    ['no slash', 'vnd.coreos.ignition+json;version=3.2.0'],
  ])('is left to the server with %s', (_, header) => {
    expect(parseAccept(header)).toEqual({ versions: all, requested: [] })
  })
})

describe('several items', () => {
  it('of the Ignition of a release before spec 3 are parsed', () => {
    const header =
      'application/vnd.coreos.ignition+json; version=2.4.0, application/vnd.coreos.ignition+json; version=1; q=0.5, */*; q=0.1'
    expect(parseAccept(header)).toEqual({ versions: ['2.2'], requested: ['2.4.0'] })
  })

  it('are preferred by quality, then by order', () => {
    expect(parseAccept(`${of('3.1.0')};q=0.5, ${of('3.4.0')}, ${of('3.2.0')};q=0.5`)).toEqual({
      versions: ['3.4', '3.1', '3.2'],
      requested: ['3.4.0', '3.1.0', '3.2.0'],
    })
  })

  it('of unsupported versions are skipped', () => {
    expect(parseAccept(`${of('4.0.0')}, ${of('3.2.0')};q=0.1`)).toEqual({
      versions: ['3.2'],
      requested: ['4.0.0', '3.2.0'],
    })
  })

  it('have the first of several values, and 1 in place of an invalid quality', () => {
    expect(
      parseAccept(`${of('3.1.0')};version=3.2.0;q=0.5;q=0.9, ${of('3.3.0')};q=0.6`).versions,
    ).toEqual(['3.3', '3.1'])
    expect(parseAccept(`${of('3.1.0')};q=0.5, ${of('3.3.0')};q=high`).versions).toEqual([
      '3.3',
      '3.1',
    ])
  })

  it('with quality 0 are not accepted', () => {
    expect(parseAccept(`${of('3.5.0')};q=0, ${of('3.1.0')};q=0.1`).versions).toEqual(['3.1'])
    expect(parseAccept(`${of('3.5.0')};q=0`).versions).toEqual([])
  })
})

it('any header gives supported versions, each once', () => {
  const item = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(5), fc.nat(9), fc.string()).map(([a, b, end]) => `${of(`${a}.${b}.0`)}${end}`),
  )
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const { versions, requested } = parseAccept(items.join(','))
      expect(all).toEqual(expect.arrayContaining([...versions]))
      expect(new Set(versions).size).toBe(versions.length)
      expect(requested.length > 0 || versions.length === all.length).toBe(true)
    }),
  )
})
