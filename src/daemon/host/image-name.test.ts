import { expect, it } from 'vitest'
import { imageName } from './image-name.ts'

it.for([
  'quay.io/os@sha256:1',
  'ostree-unverified-registry:quay.io/os@sha256:1',
  'ostree-remote-registry:fedora:quay.io/os@sha256:1',
  'ostree-unverified-image:docker://quay.io/os@sha256:1',
  'ostree-unverified-image:registry:quay.io/os@sha256:1',
  'ostree-unverified-image:containers-storage:quay.io/os@sha256:1',
  'ostree-image-signed:docker://quay.io/os@sha256:1',
  'ostree-remote-image:fedora:docker://quay.io/os@sha256:1',
  'docker://quay.io/os@sha256:1',
  'pivot://quay.io/os@sha256:1',
])('%s is the same image', (reference) => {
  expect(imageName(reference)).toBe('quay.io/os@sha256:1')
})

it.for(['registry:5000/os:latest', 'localhost:5000/os', 'oci:5000/os', 'fedora:fedora/stable', ''])(
  '%s is a name without a prefix',
  (reference) => {
    expect(imageName(reference)).toBe(reference)
  },
)
