import { describe, expect, it } from 'vitest'
import {
  machineConfigBuild,
  makerOf,
  describeOtherMaker,
  describeOtherOperator,
  otherOperatorOf,
} from './maker.ts'

const domain = 'machineconfiguration.openshift.io'
const config = (annotations?: Record<string, string>) => ({
  metadata: { name: '00-worker', ...(annotations && { annotations }) },
})
const by = (version: string) => config({ [`${domain}/generated-by-controller-version`]: version })

describe('the maker of a MachineConfig', () => {
  it.each<Record<string, string> | undefined>([
    undefined,
    {},
    { [`${domain}/generated-by-controller-version`]: '' },
  ])('is a user if the annotation is absent or empty: %j', (annotations) => {
    expect(makerOf(config(annotations))).toEqual({ type: 'user' })
  })

  it.each([machineConfigBuild('0.2.0'), 'machinist-0.2.0', '0.1.0', '1.2.3-rc.1', '1.2.3+build'])(
    'is Machinist for %s',
    (version) => {
      expect(makerOf(by(version))).toEqual({ type: 'machinist', version })
    },
  )

  it.each([
    '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6',
    '00d3f9bb3a4c',
    'v4.16.0-202409051837.p0',
    'installer',
  ])('is another controller for %s', (version) => {
    expect(makerOf(by(version))).toEqual({ type: 'other', version })
  })

  it('is described with its release if the MachineConfig has one', () => {
    const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
    const rendered = config({
      [`${domain}/generated-by-controller-version`]: commit,
      [`${domain}/release-image-version`]: '4.16.11',
    })
    expect(describeOtherMaker(rendered)).toBe(`MCO of release 4.16.11 (controller build ${commit})`)
    expect(describeOtherMaker(by('installer'))).toBe(
      'another controller (controller build installer)',
    )
  })
})

describe('the operator that wrote a ControllerConfig last', () => {
  const written = (version?: string, more: Record<string, string> = {}): object => ({
    ...(version !== undefined && {
      'machineconfiguration.openshift.io/generated-by-version': version,
    }),
    ...more,
  })
  const of = (annotations: object): string | undefined =>
    otherOperatorOf({ metadata: { annotations: annotations as Record<string, string> } })

  it.each(['0.1.0', '1.2.3-rc.1+build', 'machinist-1.2.3'])('is Machinist for %s', (own) => {
    expect(of(written(own))).toBeUndefined()
  })

  it.each([
    'v4.16.0-202409051837.p0.g1e4b1b2.assembly.stream.el9-dirty',
    'machine-config-daemon-4.6.0-202006240615.p0-2962-g0ed1e92e',
    'v0.0.0-was-not-built-properly',
    '4b1c3c0de',
  ])('is another operator for %s', (build) => {
    expect(of(written(build))).toBe(build)
  })

  it('is MCO although annotations of Machinist remain, which MCO preserves', () => {
    const left = { 'machinist.dev/trust-digests': '{}' }
    expect(of(written('v4.16.0-202409051837.p0', left))).toBe('v4.16.0-202409051837.p0')
  })

  it('is none if the ControllerConfig or its annotation is missing', () => {
    expect(otherOperatorOf(undefined)).toBeUndefined()
    expect(of(written())).toBeUndefined()
    expect(of(written(''))).toBeUndefined()
  })

  it('is described with its release and build', () => {
    const annotations = {
      'machineconfiguration.openshift.io/generated-by-version': 'v4.16.0-202409051837.p0',
      'machineconfiguration.openshift.io/release-image-version': '4.16.11',
    }
    expect(describeOtherOperator({ metadata: { annotations } })).toBe(
      'MCO of release 4.16.11 (operator build v4.16.0-202409051837.p0)',
    )
  })
})
