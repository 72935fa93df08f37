import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bootstrapper,
  clientSigner,
  derRequest,
  nodeItself,
  pemOf,
  requestObject,
  subjectOf,
} from '@machinist/testing/certificates/kubelet-request'
import { timestamp } from '@machinist/core/timestamp'
import type {
  CertificateSigningRequest,
  SigningCondition,
} from '@machinist/kube/kinds/certificates'
import { RequestRegister } from './register.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000

const pems = new Map(
  ['n1', 'n2'].map((node) => [node, pemOf(derRequest({ subject: subjectOf(node) }))]),
)

interface Made {
  readonly at?: number
  readonly node?: string
  readonly is?: SigningCondition['type']
  readonly spec?: Partial<CertificateSigningRequest['spec']>
}

function request(name: string, { at = noon, node = 'n1', is, spec }: Made = {}) {
  const object = requestObject(pems.get(node)!, clientSigner, spec ?? nodeItself(node))
  const conditions = is ? [{ type: is, status: 'True' as const }] : []
  const metadata = { name, uid: name, creationTimestamp: timestamp(at) }
  return { ...object, metadata, ...(is && { status: { conditions } }) }
}

function registerOf(...requests: CertificateSigningRequest[]): RequestRegister {
  const register = new RequestRegister()
  for (const one of requests) register.put(one)
  return register
}

const newer = (register: RequestRegister, name: string, now = noon): string | undefined =>
  register.newerThan(register.get(name)!, now)?.name

describe('the newest of several requests', () => {
  const older = request('b', { at: noon - minute })

  it('has no newer one', () => {
    const register = registerOf(older, request('a'))
    expect([newer(register, 'a'), newer(register, 'b')]).toEqual([undefined, 'a'])
  })

  it('is unique within one second', () => {
    const register = registerOf(request('a'), request('b'))
    expect([newer(register, 'a'), newer(register, 'b')]).toEqual(['b', undefined])
  })

  it.each(['Approved', 'Denied', 'Failed'] as const)('counts also if it was %s', (is) => {
    expect(newer(registerOf(older, request('a', { is })), 'b')).toBe('a')
  })

  it('does not count after it is deleted', () => {
    const register = registerOf(older, request('a'))
    register.put(request('z', { at: noon + 1000 }))
    register.remove('z')
    expect(newer(register, 'b')).toBe('a')
    register.remove('a')
    expect(newer(register, 'b')).toBeUndefined()
  })

  it('does not count while it is in the future', () => {
    const register = registerOf(request('a'), request('z', { at: noon + 24 * 60 * minute }))
    expect(newer(register, 'a')).toBeUndefined()
    expect(newer(register, 'a', noon + 24 * 60 * minute)).toBe('z')
    expect(newer(register, 'a')).toBeUndefined()
  })

  it.each([
    ['another node', { node: 'n2' }],
    ['a bootstrapper', { spec: bootstrapper }],
    ['an unauthorized user', { spec: { username: 'mallory', groups: [] } }],
  ])('is not that of %s', (_name, made) => {
    expect(newer(registerOf(older, request('a', made)), 'b')).toBeUndefined()
  })
})

describe('pending requests', () => {
  it('are indexed by their node until they are decided', () => {
    const register = registerOf(request('a'), request('b', { node: 'n2' }), request('c'))
    expect([...register.waitingFor('n1')]).toEqual(['a', 'c'])
    register.put(request('a', { is: 'Approved' }))
    register.remove('c')
    expect([...register.waitingFor('n1')]).toEqual([])
    expect(register.get('a')?.isPending).toBe(false)
  })

  it('are counted below the age limit, also when the clock goes back', () => {
    const register = registerOf(
      request('old', { at: noon - 61 * minute }),
      request('new'),
      request('done', { is: 'Denied' }),
      request('ahead', { at: noon + 30 * minute }),
    )
    expect(register.waiting(noon)).toBe(2)
    expect(register.waiting(noon + 24 * 60 * minute)).toBe(0)
    expect(register.waiting(noon - minute)).toBe(3)
    register.remove('old')
    register.put(request('new', { is: 'Approved' }))
    expect(register.waiting(noon)).toBe(1)
  })
})

it('counts incrementally as a complete count would', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const step = fc.record({
    name: fc.constantFrom(...names),
    what: fc.constantFrom('put', 'decide', 'remove', 'look'),
    minutes: fc.integer({ min: -90, max: 90 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const register = new RequestRegister()
      const model = new Map<string, { at: number; pending: boolean }>()
      for (const { name, what, minutes } of steps) {
        const at = noon + minutes * minute
        const known = model.get(name)
        if (what === 'put' && !known) {
          register.put(request(name, { at }))
          model.set(name, { at, pending: true })
        } else if (what === 'decide' && known) {
          register.put(request(name, { at: known.at, is: 'Approved' }))
          known.pending = false
        } else if (what === 'remove') {
          register.remove(name)
          model.delete(name)
        }
        const fresh = [...model.values()].filter((one) => one.pending && at - one.at <= 60 * minute)
        expect(register.waiting(at)).toBe(fresh.length)
        const pending = [...model].filter(([, one]) => one.pending).map(([each]) => each)
        expect([...register.waitingFor('n1')].toSorted()).toEqual(pending.toSorted())
        const order = [...model]
          .filter(([, one]) => one.at <= at + 5 * minute)
          .toSorted(([a, x], [b, y]) => y.at - x.at || (a < b ? 1 : -1))
        const [first] = order[0] ?? []
        const found = order.map(([each]) => newer(register, each, at))
        expect(found).toEqual(order.map(([each]) => (each === first ? undefined : first)))
      }
    }),
    { numRuns: 60 },
  )
})
