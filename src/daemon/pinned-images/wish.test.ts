import { describe, expect, it } from 'vitest'
import { wishOf } from './wish.ts'

const domain = 'machineconfiguration.openshift.io'
const node = (desired?: string) => ({
  name: 'n',
  annotations: { ...(desired !== undefined && { [`${domain}/desiredConfig`]: desired }) },
  unschedulable: false,
  deleting: false,
})
const config = (said?: string) => ({
  metadata: {
    name: 'machine-config-controller',
    ...(said !== undefined && { annotations: { 'machinist.dev/pinned-images': said } }),
  },
})

describe('what is wanted of a node', () => {
  it('is what the pool pins whose configuration it shall run', () => {
    const said = config('{"worker":"1","my-pool":"2"}')
    expect(wishOf(node('rendered-worker-0123'), said)).toEqual({ pool: 'worker', digest: '1' })
    expect(wishOf(node('rendered-my-pool-0123'), said)).toEqual({ pool: 'my-pool', digest: '2' })
    expect(wishOf(node('rendered-infra-0123'), said)).toEqual({ pool: 'infra' })
    expect(wishOf(node('rendered-worker-0123'), config())).toEqual({ pool: 'worker' })
  })

  it('is not known while anything is missing or odd', () => {
    expect(wishOf(undefined, config())).toBeUndefined()
    expect(wishOf(node(), config())).toBeUndefined()
    expect(wishOf(node('something'), config())).toBeUndefined()
    expect(wishOf(node('rendered-worker-0123'), undefined)).toBeUndefined()
    expect(wishOf(node('rendered-worker-0123'), config('nonsense'))).toBeUndefined()
  })
})
