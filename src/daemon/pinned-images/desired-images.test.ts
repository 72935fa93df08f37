import { describe, expect, it } from 'vitest'
import { desiredImagesOf } from './desired-images.ts'

const domain = 'machineconfiguration.openshift.io'
const node = (desired?: string) => ({
  name: 'n',
  annotations: { ...(desired !== undefined && { [`${domain}/desiredConfig`]: desired }) },
  unschedulable: false,
  deleting: false,
})
const config = (digests?: string) => ({
  metadata: {
    name: 'machine-config-controller',
    ...(digests !== undefined && { annotations: { 'machinist.dev/pinned-images': digests } }),
  },
})

describe('the desired images of a node', () => {
  it('are those of the pool of its desired config', () => {
    const given = config('{"worker":"1","my-pool":"2"}')
    expect(desiredImagesOf(node('rendered-worker-0123'), given)).toEqual({
      pool: 'worker',
      digest: '1',
    })
    expect(desiredImagesOf(node('rendered-my-pool-0123'), given)).toEqual({
      pool: 'my-pool',
      digest: '2',
    })
    expect(desiredImagesOf(node('rendered-infra-0123'), given)).toEqual({ pool: 'infra' })
    expect(desiredImagesOf(node('rendered-worker-0123'), config())).toEqual({ pool: 'worker' })
  })

  it('are unknown if an input is missing or invalid', () => {
    expect(desiredImagesOf(undefined, config())).toBeUndefined()
    expect(desiredImagesOf(node(), config())).toBeUndefined()
    expect(desiredImagesOf(node('something'), config())).toBeUndefined()
    expect(desiredImagesOf(node('rendered-worker-0123'), undefined)).toBeUndefined()
    expect(desiredImagesOf(node('rendered-worker-0123'), config('nonsense'))).toBeUndefined()
  })
})
