import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { testWriteContext } from '../../write-context.fixture.ts'
import type { ApiObject, WriteContext } from '../../kind-rules.ts'
import { serviceRules as rules } from './service.ts'

type Spec = Record<string, unknown>

const service = (name: string, spec: Spec): ApiObject => ({
  metadata: { name, namespace: 'a' },
  spec: structuredClone(spec),
})

function begun(object: ApiObject, writeContext: WriteContext): ApiObject {
  rules.complete?.(object)
  rules.prepareForCreate?.(object, writeContext)
  rules.complete?.(object)
  return object
}

function updated(object: ApiObject, before: ApiObject, writeContext: WriteContext): Spec {
  rules.prepareForUpdate?.(object, before, writeContext)
  rules.complete?.(object)
  return object['spec'] as Spec
}

const reported = (object: ApiObject, writeContext: WriteContext, before?: ApiObject): string[] =>
  (rules.validate?.(object, before, writeContext) ?? []).map(
    ({ field, message }) => `${field}: ${message}`,
  )

const ports = [{ port: 80 }]
const taken = (clusterIP: string): ApiObject =>
  service(`at-${clusterIP}`, { clusterIP, clusterIPs: [clusterIP], ports: [] })

describe('a service', () => {
  it('never gets an address or port of another service', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 60 }), (seed, count) => {
        const all: ApiObject[] = []
        const writeContext = testWriteContext({ random: seededRandom(seed), siblings: () => all })
        for (let made = 0; made < count; made++) {
          const one = begun(service(`s${made}`, { type: 'NodePort', ports }), writeContext)
          expect(reported(one, writeContext)).toEqual([])
          all.push(one)
        }
        const specs = all.map((one) => one['spec'] as { clusterIP: string; ports: Spec[] })
        expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(count)
        expect(new Set(specs.map((spec) => spec.ports[0]!['nodePort'])).size).toBe(count)
      }),
      { numRuns: 20 },
    )
  })

  it('gets the last free address, and an error if there is none', () => {
    const hosts = Array.from({ length: 253 }, (_, index) => `10.0.0.${index + 2}`)
    const others = hosts.filter((host) => host !== '10.0.0.77').map(taken)
    const writeContext = testWriteContext({ siblings: () => others })
    const last = begun(service('last', { ports }), writeContext)
    expect(last['spec']).toMatchObject({ clusterIP: '10.0.0.77' })
    others.push(taken('10.0.0.77'))
    const late = begun(service('late', { ports }), writeContext)
    expect(reported(late, writeContext)).not.toEqual([])
  })

  it('keeps its address and ports if they are omitted', () => {
    const writeContext = testWriteContext()
    const before = begun(service('s', { type: 'NodePort', ports }), writeContext)
    const { clusterIP, ports: had } = before['spec'] as { clusterIP: string; ports: Spec[] }
    const after = updated(
      service('s', { type: 'NodePort', ports: [{ port: 443 }, { port: 80 }] }),
      before,
      writeContext,
    )
    expect(after['clusterIP']).toBe(clusterIP)
    expect((after['ports'] as Spec[])[1]!['nodePort']).toBe(had[0]!['nodePort'])
  })

  it('loses fields of its old type, and gets new ones later', () => {
    const writeContext = testWriteContext()
    const before = begun(service('s', { type: 'LoadBalancer', ports }), writeContext)
    const outside = { ...(before['spec'] as Spec), type: 'ExternalName', externalName: 'x.y' }
    const after = service('s', outside)
    expect(Object.keys(updated(after, before, writeContext)).sort()).toEqual([
      'externalName',
      'ports',
      'sessionAffinity',
      'type',
    ])
    const back = service('s', { ...(after['spec'] as Spec), type: 'ClusterIP' })
    expect(updated(back, after, writeContext)).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.0\.0\./),
      ipFamilies: ['IPv4'],
    })
  })

  it('is not allocated on /status', () => {
    const before = service('s', { type: 'ClusterIP', ports })
    const after = structuredClone(before)
    rules.prepareForUpdate?.(after, before, testWriteContext({ subresource: 'status' }))
    expect(after).toEqual(before)
  })

  it('of any shape is valid or not, and never throws', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant({}))
    const names = ['type', 'clusterIP', 'clusterIPs', 'ports', 'selector', 'externalName']
    const anySpec = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value)))
    fc.assert(
      fc.property(anySpec, (spec) => {
        const writeContext = testWriteContext()
        const object = begun(service('s', spec), writeContext)
        expect(Array.isArray(reported(object, writeContext))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
