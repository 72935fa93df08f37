import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../status/status-error.ts'
import { decodeProtobuf } from './decode-protobuf.ts'

/** A field with fewer than 128 bytes. */
function field(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
}

const flag = (number: number, value: number): Buffer => Buffer.from([number * 8, value])

function body(apiVersion: string, kind: string, ...raw: Uint8Array[]): Buffer {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, kind)])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, Buffer.concat(raw))])
}

describe('decodeProtobuf', () => {
  it('returns apiVersion, kind and object', () => {
    expect(decodeProtobuf(body('v1', 'Namespace', field(1, field(1, 'n'))))).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
    })
  })

  it('reads DeleteOptions of every group', () => {
    const options = [flag(1, 0), field(2, field(1, 'some-uid')), field(4, 'Background')]
    const reported = {
      gracePeriodSeconds: 0,
      preconditions: { uid: 'some-uid' },
      propagationPolicy: 'Background',
    }
    expect(decodeProtobuf(body('v1', 'DeleteOptions', ...options)).object).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...reported,
    })
    expect(decodeProtobuf(body('policy/v1', 'DeleteOptions', ...options)).object).toMatchObject(
      reported,
    )
  })

  it('reads an eviction', () => {
    const eviction = body('policy/v1', 'Eviction', field(1, field(1, 'p')), field(2, flag(1, 5)))
    expect(decodeProtobuf(eviction).object).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
      deleteOptions: { gracePeriodSeconds: 5 },
    })
  })

  it.each([
    ['nothing', Buffer.alloc(0), 'does not begin with k8s'],
    ['JSON', Buffer.from('{"kind":"Pod"}'), 'does not begin with k8s'],
    ['no type', Buffer.from('k8s\0'), 'apiVersion is missing'],
    ['no kind', body('v1', ''), 'kind is missing'],
    ['packed content', Buffer.concat([body('v1', 'Pod'), field(3, 'gzip')]), '"gzip"'],
  ])('rejects %s', (_what, bytes, message) => {
    expect(() => decodeProtobuf(bytes)).toThrow(message)
    expect(() => decodeProtobuf(bytes)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('rejects custom resources', () => {
    const bytes = body('example.com/v1', 'Gadget')
    expect(() => decodeProtobuf(bytes)).toThrow(
      new StatusError(
        415,
        'UnsupportedMediaType',
        'kind "Gadget" in version "example.com/v1" is not understood in protobuf: send application/json or application/yaml',
      ),
    )
  })

  it('returns an object or an error for any bytes', () => {
    const kinds = ['Pod', 'Node', 'Secret', 'Event', 'DeleteOptions']
    const given = fc.tuple(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 120 }))
    fc.assert(
      fc.property(given, ([kind, raw]) => {
        const outcome = (): unknown => {
          try {
            return decodeProtobuf(body('v1', kind, raw)).kind
          } catch (error) {
            return error instanceof StatusError ? error.code : error
          }
        }
        expect([kind, 400]).toContain(outcome())
      }),
      { numRuns: 3000 },
    )
  })
})
