import { describe, expect, it } from 'vitest'
import type { ObservedConfig } from './followed-config.ts'
import { desiredTrustOf } from './desired-trust.ts'

const seen = (more: Partial<ObservedConfig> = {}): ObservedConfig => ({
  uid: 'u',
  generation: 1,
  version: '10',
  delivery: 'direct',
  digestsAnnotation: '{"cloud-ca":"annotated"}',
  isComplete: true,
  isRotating: false,
  ...more,
})
const foreign = (more: Partial<ObservedConfig> = {}): ObservedConfig =>
  seen({ digestsAnnotation: undefined, ...more })
const read = (
  of: ObservedConfig,
): { observed: ObservedConfig; digests: { 'cloud-ca': string } } => ({
  observed: of,
  digests: { 'cloud-ca': 'read' },
})

describe('the desired digest', () => {
  it.each([
    ['is that of the annotation', seen(), undefined, 'annotated'],
    ['is the fetched one, if the annotation differs', seen(), seen(), 'read'],
    ['is that of a newer annotation', seen({ generation: 2 }), seen(), 'annotated'],
    ['is the fetched one, for a generation', foreign({ version: '11' }), foreign(), 'read'],
    ['is unknown for another generation', foreign({ generation: 2 }), foreign(), undefined],
    ['is unknown for another object', foreign({ uid: 'v' }), foreign(), undefined],
    ['is unknown when a CA rotates', foreign({ isRotating: true }), foreign(), undefined],
    [
      'was read since it rotates',
      foreign({ isRotating: true }),
      foreign({ isRotating: true }),
      'read',
    ],
    [
      'is what was read when the rotation is over',
      foreign(),
      foreign({ isRotating: true }),
      'read',
    ],
    [
      'does not depend on a rotation if the digests annotation exists',
      seen({ isRotating: true }),
      seen(),
      'read',
    ],
    [
      'has to be read if it makes no sense',
      seen({ digestsAnnotation: 'nonsense' }),
      undefined,
      undefined,
    ],
  ])('%s', (_, now, before, digest) => {
    const { delivery, digests } = desiredTrustOf(now, before && read(before))
    expect([delivery, digests?.['cloud-ca']]).toEqual(['direct', digest])
  })
})
