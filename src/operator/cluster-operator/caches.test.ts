import { expect, it } from 'vitest'
import { withoutConfig } from './caches.ts'

it('only the fields that identify the release of a MachineConfig are kept', () => {
  const domain = 'machineconfiguration.openshift.io'
  expect(
    withoutConfig({
      apiVersion: `${domain}/v1`,
      kind: 'MachineConfig',
      metadata: {
        name: 'rendered-worker-1',
        uid: 'u-1',
        resourceVersion: '7',
        annotations: {
          [`${domain}/generated-by-controller-version`]: 'build-1',
          [`${domain}/release-image-version`]: '4.16.0',
          [`${domain}/os-image-url-overridden`]: 'true',
          'machinist.dev/provenance': 'long',
        },
      },
      spec: { osImageURL: 'os', config: { storage: {} }, kernelArguments: ['a'] },
    }),
  ).toEqual({
    apiVersion: `${domain}/v1`,
    kind: 'MachineConfig',
    metadata: {
      name: 'rendered-worker-1',
      uid: 'u-1',
      resourceVersion: '7',
      annotations: {
        [`${domain}/generated-by-controller-version`]: 'build-1',
        [`${domain}/release-image-version`]: '4.16.0',
        [`${domain}/os-image-url-overridden`]: 'true',
      },
    },
    spec: { osImageURL: 'os' },
  })
  expect(withoutConfig({ metadata: { name: 'a' } })).toEqual({
    metadata: { name: 'a', annotations: {} },
    spec: {},
  })
})
