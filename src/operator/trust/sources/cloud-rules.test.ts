import { describe, expect, it } from 'vitest'
import { cloudPlatform, cloudRules, isCloudConfigNamed } from './cloud-rules.ts'

describe('requirements of a cloud', () => {
  it.each([
    // exists, cloud.conf, platform, referenced → cloud.conf, ca-bundle.pem
    [false, false, 'AWS', false, 'empty', 'none'],
    [false, false, 'AWS', true, 'object missing', 'object missing'],
    [false, false, 'Azure', false, 'object missing', 'object missing'],
    [false, false, 'VSphere', true, 'object missing', 'object missing'],
    [true, false, 'GCP', false, 'key missing', 'if given'],
    [true, false, 'OpenStack', true, 'key missing', 'if given'],
    [true, false, 'BareMetal', true, 'empty', 'if given'],
    [true, false, 'None', false, 'empty', 'if given'],
    [true, true, 'VSphere', true, 'value', 'if given'],
    [true, true, 'None', false, 'value', 'if given'],
  ] as const)(
    'exists: %s, cloud.conf: %s, %s, referenced: %s → %s, %s',
    (...[isThere, hasConfig, platform, isNamed, config, ca]) => {
      expect(cloudRules({ isThere, hasConfig, platform, isNamed })).toEqual({ config, ca })
    },
  )

  it('current and old fields of Infrastructure are read', () => {
    const metadata = { name: 'cluster' }
    expect(cloudPlatform(undefined)).toBe('None')
    expect(cloudPlatform({ metadata, spec: {}, status: { platform: 'GCP' } })).toBe('GCP')
    const status = { platform: 'GCP', platformStatus: { type: 'AWS' } }
    expect(cloudPlatform({ metadata, spec: {}, status })).toBe('AWS')
    expect(isCloudConfigNamed(undefined)).toBe(false)
    expect(isCloudConfigNamed({ metadata, spec: { cloudConfig: { name: '' } } })).toBe(false)
    expect(isCloudConfigNamed({ metadata, spec: { cloudConfig: { name: 'x' } } })).toBe(true)
  })
})
