import { expect, it } from 'vitest'
import type { TrustRotation, TrustRotationSpec } from '../../api/kinds/trust-rotation.ts'
import { spec } from './decide/decide-facts.fixture.ts'
import { bundleMatcher } from './actionable.ts'

const rotation = (name: string, more: Partial<TrustRotationSpec>, at = 1): TrustRotation => ({
  metadata: { name, creationTimestamp: `2026-01-0${at}T00:00:00Z` },
  spec: { ...spec, publishedIn: [], targets: [], ...more },
})
const place = (name: string): { namespace: string; name: string } => ({ namespace: 'keys', name })

it('only bundles of valid rotations are recreated', () => {
  const leaving = rotation('leaving', { signer: place('s4'), bundle: place('leaving') })
  const isManagedBundle = bundleMatcher([
    rotation('good', { bundle: place('good'), publishedIn: [place('published')] }),
    rotation('shared', { bundle: place('shared') }, 2),
    rotation('bad', { signer: place('s3'), bundle: place('bad'), settle: 'soon' }),
    { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-09T00:00:00Z' } },
  ])
  expect(isManagedBundle(place('good'))).toBe(true)
  expect(isManagedBundle({ namespace: 'elsewhere', name: 'good' })).toBe(false)
  for (const name of ['published', 'shared', 'bad', 'leaving', 'unmanaged']) {
    expect(isManagedBundle(place(name))).toBe(false)
  }
})
