import { describe, expect, it } from 'vitest'
import type { OsDeployment } from './host.ts'
import { sameDeployment, deploymentDifferences } from './same-deployment.ts'

const one: OsDeployment = {
  image: 'quay.io/os@sha256:1',
  kernelArguments: ['rw', 'a=1'],
  kernelType: 'default',
  extensions: ['ipsec', 'usbguard'],
}

describe('two deployments', () => {
  it.each([
    [
      'with another prefix of the image',
      { image: 'ostree-unverified-registry:quay.io/os@sha256:1' },
    ],
    ['with extensions in another order', { extensions: ['usbguard', 'ipsec'] }],
  ])('are the same %s', (_, other) => {
    expect(sameDeployment(one, { ...one, ...other })).toBe(true)
  })

  it.each([
    [
      'image',
      { image: 'quay.io/os@sha256:2' },
      'image "quay.io/os@sha256:2" instead of "quay.io/os@sha256:1"',
    ],
    [
      'order of arguments',
      { kernelArguments: ['a=1', 'rw'] },
      'kernel arguments "a=1 rw" instead of "rw a=1"',
    ],
    ['kernel', { kernelType: 'realtime' }, 'kernel "realtime" instead of "default"'],
    ['extensions', { extensions: ['ipsec'] }, 'extensions "ipsec" instead of "ipsec usbguard"'],
  ])('differ by their %s', (_, other, difference) => {
    expect(deploymentDifferences(one, { ...one, ...other })).toEqual([difference])
  })
})
