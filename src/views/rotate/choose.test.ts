import { expect, it } from 'vitest'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import { rotation } from './sample.fixture.ts'
import { chooseRotation } from './choose.ts'

type Item = TrustRotation['spec']['trustedBy']

const named = (name: string, trustedBy: Item = 'kubelet-client-ca'): TrustRotation => ({
  ...rotation(undefined, { trustedBy }),
  metadata: { name },
})

it('chooses the only rotation, the one of the kubelet client CA, or the named one', () => {
  const [a, b] = [named('a'), named('b', 'api-server-ca')]
  expect(chooseRotation([b], undefined)).toBe(b)
  expect(chooseRotation([b, a], undefined)).toBe(a)
  expect(chooseRotation([a, b], 'b')).toBe(b)
})

it.each<[string, TrustRotation[], string | undefined, string]>([
  [
    'none',
    [],
    undefined,
    'this cluster has no TrustRotation: examples/trust-rotation.yaml contains two examples',
  ],
  [
    'another name',
    [named('b'), named('a', 'api-server-ca')],
    'c',
    'TrustRotation c not found; available: a (api-server-ca), b (kubelet-client-ca)',
  ],
  [
    'several',
    [named('b'), named('a')],
    undefined,
    'name a TrustRotation; available: a (kubelet-client-ca), b (kubelet-client-ca)',
  ],
  [
    'very many',
    Array.from({ length: 12 }, (_, i) => named(`r${String(i).padStart(2, '0')}`)),
    'x',
    `TrustRotation x not found; available: ${Array.from({ length: 10 }, (_, i) => `r0${i} (kubelet-client-ca)`).join(', ')} and 2 more`,
  ],
])('lists the available rotations: %s', (_, all, name, message) => {
  expect(() => chooseRotation(all, name)).toThrow(message)
})
