import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions } from './group-versions.ts'

describe('versions', () => {
  it("are in Kubernetes' priority order", () => {
    const versions = [
      'foo10',
      'v1alpha1',
      'v1',
      'v12alpha1',
      'v2',
      'v10',
      'v11beta2',
      'v3beta1',
      'foo1',
    ]
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v3beta1',
      'v12alpha1',
      'v1alpha1',
      'foo1',
      'foo10',
    ])
  })

  it('are ordered antisymmetrically', () => {
    const version = fc.constantFrom('v1', 'v2', 'v1beta1', 'v1alpha2', 'x', 'y', 'v')
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)))
      }),
      { numRuns: 100 },
    )
  })
})
