import { expect, it } from 'vitest'
import { rotation } from './sample.fixture.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { chosen } from './choose.ts'

type Item = TrustRotation['spec']['trustedBy']

const named = (name: string, trustedBy: Item = 'kubelet-client-ca'): TrustRotation => ({
  ...rotation(undefined, { trustedBy }),
  metadata: { name },
})

it('the only one is meant, or the one for the callers of kubelets, or the one that is named', () => {
  const [a, b] = [named('a'), named('b', 'api-server-ca')]
  expect(chosen([b], undefined)).toBe(b)
  expect(chosen([b, a], undefined)).toBe(a)
  expect(chosen([a, b], 'b')).toBe(b)
})

it.each<[string, TrustRotation[], string | undefined, string]>([
  [
    'none',
    [],
    undefined,
    'there is no TrustRotation in this cluster: examples/trust-rotation.yaml has two to begin with',
  ],
  [
    'another name',
    [named('b'), named('a', 'api-server-ca')],
    'c',
    'there is no TrustRotation c; there are: a (api-server-ca), b (kubelet-client-ca)',
  ],
  [
    'several',
    [named('b'), named('a')],
    undefined,
    'say which TrustRotation is meant; there are: a (kubelet-client-ca), b (kubelet-client-ca)',
  ],
  [
    'very many',
    Array.from({ length: 12 }, (_, i) => named(`r${String(i).padStart(2, '0')}`)),
    'x',
    `there is no TrustRotation x; there are: ${Array.from({ length: 10 }, (_, i) => `r0${i} (kubelet-client-ca)`).join(', ')} and 2 more`,
  ],
])('otherwise the choice is told: %s', (_, all, name, message) => {
  expect(() => chosen(all, name)).toThrow(message)
})
