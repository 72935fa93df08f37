import { describe, expect, it } from 'vitest'
import { imageRegistryKinds, kinds } from './kinds.ts'
import { referencePages } from './reference.ts'

const pages = new Map(referencePages().map(({ name, text }) => [name, text]))

describe('the reference pages', () => {
  it('are one per kind, and an index', () => {
    expect([...pages.keys()]).toEqual([
      'README.md',
      'machine-config.md',
      'machine-config-pool.md',
      'controller-config.md',
      'kubelet-config.md',
      'container-runtime-config.md',
      'machine-config-node.md',
      'pinned-image-set.md',
      'machine-os-config.md',
      'machine-os-build.md',
      'machine-configuration.md',
      'drain-policy.md',
      'node-trust.md',
      'trust-rotation.md',
      'image.md',
      'image-digest-mirror-set.md',
      'image-tag-mirror-set.md',
      'cluster-image-policy.md',
    ])
    for (const kind of [...kinds, ...imageRegistryKinds])
      expect(pages.get('README.md')).toContain(kind.description)
  })

  it('describe fields, whether they are required, and their validation', () => {
    const page = pages.get('machine-config-pool.md')
    expect(page).toContain('| `paused` | boolean | Whether the rollout is paused.')
    expect(page).toContain('| `maxUnavailable` | integer or string |')
    expect(page).toContain(
      '| `pinnedImageSets[].name` | string | Name of the PinnedImageSet. Required.',
    )
    expect(page).toContain('Validation: must not decrease, except back to zero.')
  })

  it('list the values of an enum', () => {
    expect(pages.get('machine-configuration.md')).toContain(
      'One of `""`, `Normal`, `Debug`, `Trace`, `TraceAll`. Defaults to `Normal`.',
    )
  })

  it('list the validation rules of the whole object', () => {
    expect(pages.get('machine-config-node.md')).toContain(
      '- Validation: spec.node.name must equal metadata.name.',
    )
  })
})
