import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeScene } from '../write-scene.fixture.ts'
import { seededRandom } from '@machinist/core/random'
import type { ApiObject, WriteScene } from '../kind-rules.ts'
import { serviceRules as rules } from './service.ts'

type Spec = Record<string, unknown>

const service = (name: string, spec: Spec): ApiObject => ({
  metadata: { name, namespace: 'a' },
  spec: structuredClone(spec),
})

function begun(object: ApiObject, scene: WriteScene): ApiObject {
  rules.complete?.(object)
  rules.begin?.(object, scene)
  rules.complete?.(object)
  return object
}

function updated(object: ApiObject, before: ApiObject, scene: WriteScene): Spec {
  rules.keep?.(object, before, scene)
  rules.complete?.(object)
  return object['spec'] as Spec
}

const said = (object: ApiObject, scene: WriteScene, before?: ApiObject): string[] =>
  (rules.validate?.(object, before, scene) ?? []).map(
    ({ field, message }) => `${field}: ${message}`,
  )

const ports = [{ port: 80 }]
const taken = (clusterIP: string): ApiObject =>
  service(`at-${clusterIP}`, { clusterIP, clusterIPs: [clusterIP], ports: [] })

describe('a service', () => {
  it('never gets an address or a port that another one has', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 60 }), (seed, count) => {
        const all: ApiObject[] = []
        const scene = writeScene({ random: seededRandom(seed), siblings: () => all })
        for (let made = 0; made < count; made++) {
          const one = begun(service(`s${made}`, { type: 'NodePort', ports }), scene)
          expect(said(one, scene)).toEqual([])
          all.push(one)
        }
        const specs = all.map((one) => one['spec'] as { clusterIP: string; ports: Spec[] })
        expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(count)
        expect(new Set(specs.map((spec) => spec.ports[0]!['nodePort'])).size).toBe(count)
      }),
      { numRuns: 20 },
    )
  })

  it('finds the last address that is free, and none when there is none', () => {
    const hosts = Array.from({ length: 253 }, (_, index) => `10.0.0.${index + 2}`)
    const others = hosts.filter((host) => host !== '10.0.0.77').map(taken)
    const scene = writeScene({ siblings: () => others })
    const last = begun(service('last', { ports }), scene)
    expect(last['spec']).toMatchObject({ clusterIP: '10.0.0.77' })
    others.push(taken('10.0.0.77'))
    const late = begun(service('late', { ports }), scene)
    expect(said(late, scene)).not.toEqual([])
  })

  it('keeps its address and its ports when they are left out', () => {
    const scene = writeScene()
    const before = begun(service('s', { type: 'NodePort', ports }), scene)
    const { clusterIP, ports: had } = before['spec'] as { clusterIP: string; ports: Spec[] }
    const after = updated(
      service('s', { type: 'NodePort', ports: [{ port: 443 }, { port: 80 }] }),
      before,
      scene,
    )
    expect(after['clusterIP']).toBe(clusterIP)
    expect((after['ports'] as Spec[])[1]!['nodePort']).toBe(had[0]!['nodePort'])
  })

  it('loses what its new type has no use for, and gets it back anew', () => {
    const scene = writeScene()
    const before = begun(service('s', { type: 'LoadBalancer', ports }), scene)
    const outside = { ...(before['spec'] as Spec), type: 'ExternalName', externalName: 'x.y' }
    const after = service('s', outside)
    expect(Object.keys(updated(after, before, scene)).sort()).toEqual([
      'externalName',
      'ports',
      'sessionAffinity',
      'type',
    ])
    const back = service('s', { ...(after['spec'] as Spec), type: 'ClusterIP' })
    expect(updated(back, after, scene)).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.0\.0\./),
      ipFamilies: ['IPv4'],
    })
  })

  it('is not about addresses on /status', () => {
    const before = service('s', { type: 'ClusterIP', ports })
    const after = structuredClone(before)
    rules.keep?.(after, before, writeScene({ subresource: 'status' }))
    expect(after).toEqual(before)
  })

  it('of any shape is good or not, and never a surprise', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant({}))
    const names = ['type', 'clusterIP', 'clusterIPs', 'ports', 'selector', 'externalName']
    const anySpec = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value)))
    fc.assert(
      fc.property(anySpec, (spec) => {
        const scene = writeScene()
        const object = begun(service('s', spec), scene)
        expect(Array.isArray(said(object, scene))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
