import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAsWritten } from '@machinist/ignition/convert/parse-any'
import { noNewerThan, pointerConfig, pointerVersionNamed, tokenIn, withToken } from './pointer.ts'

const ca = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
const caBase64 = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo='

describe('the pointer config, byte for byte', () => {
  it('has the newest version', () => {
    expect(pointerConfig({ host: 'api-int.example.com', pool: 'worker', caBundle: ca })).toBe(
      `{"ignition":{"config":{"merge":[{"source":"https://api-int.example.com:22623/config/worker","verification":{}}],"replace":{"verification":{}}},"proxy":{},"security":{"tls":{"certificateAuthorities":[{"source":"data:text/plain;charset=utf-8;base64,${caBase64}","verification":{}}]}},"timeouts":{},"version":"3.5.0"},"kernelArguments":{},"passwd":{},"storage":{},"systemd":{}}`,
    )
  })

  it('has the version of 4.16', () => {
    expect(pointerConfig({ host: '10.0.0.5', pool: 'infra', caBundle: ca, version: '3.4.0' })).toBe(
      `{"ignition":{"config":{"merge":[{"source":"https://10.0.0.5:22623/config/infra","verification":{}}],"replace":{"verification":{}}},"proxy":{},"security":{"tls":{"certificateAuthorities":[{"source":"data:text/plain;charset=utf-8;base64,${caBase64}","verification":{}}]}},"timeouts":{},"version":"3.4.0"},"kernelArguments":{},"passwd":{},"storage":{},"systemd":{}}`,
    )
  })

  it('has the version of 4.12, without kernel arguments', () => {
    expect(
      pointerConfig({ host: '[fd00::5]', pool: 'master', caBundle: ca, version: '3.2.0' }),
    ).toBe(
      `{"ignition":{"config":{"merge":[{"source":"https://[fd00::5]:22623/config/master","verification":{}}],"replace":{"verification":{}}},"proxy":{},"security":{"tls":{"certificateAuthorities":[{"source":"data:text/plain;charset=utf-8;base64,${caBase64}","verification":{}}]}},"timeouts":{},"version":"3.2.0"},"passwd":{},"storage":{},"systemd":{}}`,
    )
  })

  it('keeps every bundle unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { ignition } = JSON.parse(pointerConfig({ host: 'a', pool: 'b', caBundle: bytes }))
        const { source } = ignition.security.tls.certificateAuthorities[0]
        const [, text] = source.split(';base64,')
        expect([...Buffer.from(text, 'base64')]).toEqual([...bytes])
      }),
    )
  })
})

describe('the provisioning token of a pointer', () => {
  const given = { host: 'api-int.example.com', pool: 'worker', caBundle: ca } as const
  const token = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)
  const version = fc.constantFrom('3.2.0' as const, '3.4.0' as const, '3.5.0' as const)

  it('is an HTTP header of the request, byte for byte', () => {
    expect(pointerConfig({ ...given, token: 'abc' })).toBe(
      `{"ignition":{"config":{"merge":[{"httpHeaders":[{"name":"Authorization","value":"Bearer abc"}],"source":"https://api-int.example.com:22623/config/worker","verification":{}}],"replace":{"verification":{}}},"proxy":{},"security":{"tls":{"certificateAuthorities":[{"source":"data:text/plain;charset=utf-8;base64,${caBase64}","verification":{}}]}},"timeouts":{},"version":"3.5.0"},"kernelArguments":{},"passwd":{},"storage":{},"systemd":{}}`,
    )
  })

  it('is valid Ignition in every version', () => {
    for (const each of ['3.2.0', '3.4.0', '3.5.0'] as const) {
      const { report } = parseAsWritten(pointerConfig({ ...given, token: 'abc', version: each }))
      expect(report.entries).toEqual([])
    }
  })

  it('is read back, and replaced in place', () => {
    fc.assert(
      fc.property(version, token, token, (version, before, after) => {
        const pointer = pointerConfig({ ...given, version, token: before })
        expect(tokenIn(pointer)).toBe(before)
        const expected = pointerConfig({ ...given, version, token: after })
        expect(withToken(pointer, after)).toBe(expected)
        expect(withToken(pointerConfig({ ...given, version }), after)).toBe(expected)
      }),
    )
  })

  it('stays when the version is lowered', () => {
    fc.assert(
      fc.property(version, version, token, (found, desired, token) => {
        const pointer = pointerConfig({ ...given, version: desired, token })
        const lowered = noNewerThan(pointerConfig({ ...given, version: found }), pointer)
        expect(tokenIn(lowered)).toBe(token)
      }),
    )
  })

  it.each([
    '',
    'null',
    '{}',
    '{"ignition":{}}',
    '{"ignition":{"config":{"merge":{}}}}',
    '{"ignition":{"config":{"merge":[]}}}',
    '{"ignition":{"config":{"merge":[7]}}}',
  ])('is absent in %j', (text) => {
    expect(tokenIn(text)).toBeUndefined()
    expect(withToken(text, 'abc')).toBeUndefined()
  })

  it.each([
    '[{"name":"Accept","value":"Bearer abc"}]',
    '[{"name":"Authorization","value":7}]',
    '[{"name":"Authorization","value":"Basic abc"}]',
    '[{"name":7,"value":"Bearer abc"}]',
    '[null]',
    '{}',
  ])('is absent in headers %j', (headers) => {
    const text = `{"ignition":{"config":{"merge":[{"httpHeaders":${headers},"source":"a"}]}}}`
    expect(tokenIn(text)).toBeUndefined()
    expect(tokenIn(withToken(text, 'abc')!)).toBe('abc')
  })

  it('is read from any JSON without an error', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(['string', 'undefined']).toContain(typeof tokenIn(text))
        expect(['string', 'undefined']).toContain(typeof withToken(text, 'abc'))
      }),
    )
  })
})

describe('the version of a pointer', () => {
  it('is one that a release of MCO writes', () => {
    expect(pointerVersionNamed('3.4.0')).toBe('3.4.0')
    expect(() => pointerVersionNamed('3.3.0')).toThrow(
      '3.3.0 is not a version of pointer configs: use one of 3.2.0, 3.4.0, 3.5.0',
    )
  })
})
