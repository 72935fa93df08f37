import { describe, expect, it } from 'vitest'
import type { SeenConfig } from './followed-config.ts'
import { wantedBy } from './wanted.ts'

const seen = (more: Partial<SeenConfig> = {}): SeenConfig => ({
  uid: 'u',
  generation: 1,
  version: '10',
  delivery: 'direct',
  said: '{"cloud-ca":"said"}',
  isWhole: true,
  rotates: false,
  ...more,
})
const foreign = (more: Partial<SeenConfig> = {}): SeenConfig => seen({ said: undefined, ...more })
const read = (of: SeenConfig): { seen: SeenConfig; digests: { 'cloud-ca': string } } => ({
  seen: of,
  digests: { 'cloud-ca': 'read' },
})

describe('what the cluster wants', () => {
  it.each([
    ['is what it says', seen(), undefined, 'said'],
    ['is what was read, if that was not what it says', seen(), seen(), 'read'],
    ['is what it says since', seen({ generation: 2 }), seen(), 'said'],
    ['is what was read, for a generation', foreign({ version: '11' }), foreign(), 'read'],
    ['has to be read for another generation', foreign({ generation: 2 }), foreign(), undefined],
    ['has to be read for another object', foreign({ uid: 'v' }), foreign(), undefined],
    ['has to be read when a CA rotates', foreign({ rotates: true }), foreign(), undefined],
    ['was read since it rotates', foreign({ rotates: true }), foreign({ rotates: true }), 'read'],
    ['is what was read when the rotation is over', foreign(), foreign({ rotates: true }), 'read'],
    [
      'does not depend on a rotation where digests are said',
      seen({ rotates: true }),
      seen(),
      'read',
    ],
    ['has to be read if it makes no sense', seen({ said: 'nonsense' }), undefined, undefined],
  ])('%s', (_, now, before, digest) => {
    const { delivery, digests } = wantedBy(now, before && read(before))
    expect([delivery, digests?.['cloud-ca']]).toEqual(['direct', digest])
  })
})
