import { expect, it } from 'vitest'
import { fieldsOf } from './object-fields.ts'

const fields = (spec: object): Record<string, string> =>
  Object.fromEntries(fieldsOf({ metadata: { name: 'a' }, spec }))

it('the fields of an object are listed by path', () => {
  const spec = {
    logLevel: 0,
    autoSizingReserved: false,
    tlsSecurityProfile: { type: 'Modern', modern: {} },
    kubeletConfig: {
      maxPods: 100,
      evictionHard: { 'memory.available': '5%', 'nodefs.available': null },
      allowedUnsafeSysctls: ['a', 'b'],
      authentication: { anonymous: { enabled: false } },
    },
  }
  expect(fields(spec)).toEqual({
    logLevel: '0',
    autoSizingReserved: 'false',
    tlsSecurityProfile: '{"modern":{},"type":"Modern"}',
    'kubeletConfig.maxPods': '100',
    'kubeletConfig.evictionHard["memory.available"]': '"5%"',
    'kubeletConfig.evictionHard["nodefs.available"]': 'null',
    'kubeletConfig.allowedUnsafeSysctls': '["a","b"]',
    'kubeletConfig.authentication.anonymous.enabled': 'false',
  })
})

it.each([
  {},
  { kubeletConfig: null },
  { kubeletConfig: 'x' },
  { kubeletConfig: {}, logLevel: null },
])('%j sets nothing', (spec) => {
  expect(fields(spec)).toEqual({})
})

it('possible credentials are hidden', () => {
  const header = (value: string): Record<string, string> =>
    fields({ kubeletConfig: { staticPodURLHeader: { Authorization: [value] } } })
  const field = 'kubeletConfig.staticPodURLHeader.Authorization'
  expect(header('Bearer abc')[field]).toMatch(/^"hidden: [0-9a-f]{8}"$/)
  expect(header('Bearer abc')).toEqual(header('Bearer abc'))
  expect(header('Bearer abc')).not.toEqual(header('Bearer abd'))
  const url = fields({ kubeletConfig: { staticPodURL: 'https://me:hunter2@pods.example' } })
  expect(url['kubeletConfig.staticPodURL']).toMatch(/^"hidden: [0-9a-f]{8}"$/)
})
