import { describe, expect, it } from 'vitest'
import type { FeatureGate } from '../../api/openshift-config.ts'
import { featureGatesOf } from './feature-gates.ts'

const gate = (spec: object, featureGates?: object[]): FeatureGate =>
  ({
    metadata: { name: 'cluster' },
    spec,
    ...(featureGates && { status: { featureGates } }),
  }) as FeatureGate
const version = (name: string, enabled: string[], disabled: string[] = []): object => ({
  version: name,
  enabled: enabled.map((one) => ({ name: one })),
  disabled: disabled.map((one) => ({ name: one })),
})

describe('feature gates', () => {
  it('are those of the release', () => {
    const both = gate({}, [version('4.17.0', ['A', 'B'], ['C']), version('4.16.0', ['C'])])
    expect(featureGatesOf(both, '4.17.0')).toEqual({ A: true, B: true, C: false })
    expect(featureGatesOf(both, '4.16.0')).toEqual({ C: true })
    expect(featureGatesOf(both, '4.18.0')).toBe(
      'status.featureGates has no entry for release 4.18.0',
    )
    expect(featureGatesOf(both, undefined)).toMatch(
      /^status\.featureGates has no entry for the release of the cluster/,
    )
  })

  it('are the only ones if there is one version', () => {
    expect(featureGatesOf(gate({}, [version('4.16.0', ['B', 'A'])]), '4.17.0')).toEqual({
      A: true,
      B: true,
    })
  })

  it('are those of the spec until the status is set', () => {
    const customNoUpgrade = { enabled: ['A'], disabled: ['B'] }
    expect(
      featureGatesOf(gate({ featureSet: 'CustomNoUpgrade', customNoUpgrade }), '4.16.0'),
    ).toEqual({
      A: true,
      B: false,
    })
    expect(featureGatesOf(gate({}), '4.16.0')).toEqual({})
    expect(
      featureGatesOf(gate({ featureSet: 'TechPreviewNoUpgrade', customNoUpgrade: null }), '1'),
    ).toEqual({})
  })

  it('must have valid names', () => {
    expect(featureGatesOf(gate({}, [version('1', ['A\nB'])]), '1')).toBe(
      '"A\\nB" is not a valid feature gate name',
    )
    const hostile = JSON.parse('{"enabled": ["__proto__", {}]}') as object
    expect(featureGatesOf(gate({ customNoUpgrade: hostile }), '1')).toMatch(
      /is not a valid feature gate name$/,
    )
  })
})
