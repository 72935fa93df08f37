import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitrarySpec2Config } from '../spec2/arbitrary-config.fixture.ts'
import { sameConfig } from '../equality.ts'
import { pathText } from '../report.ts'
import { validate } from '../validate/validate.ts'
import { parseAnyVersion, parseAnyVersionValue } from './parse-any.ts'

const core = { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['5678', 'abc'] }] } }

describe('reading a config of any version', () => {
  it.each(['2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])(
    'takes %s',
    (version) => {
      const value = { ignition: { version }, ...core }
      const expected = { ignition: { version: '3.5.0' }, ...core }
      const parsed = parseAnyVersion(JSON.stringify(value))
      expect(parsed.config).toEqual(expected)
      expect(parsed.version).toBe(version)
      expect(parseAnyVersionValue(value).config).toEqual(expected)
    },
  )

  it('takes bytes as well as text', () => {
    const bytes = Buffer.from(JSON.stringify({ ignition: { version: '2.2.0' } }))
    expect(parseAnyVersion(bytes).config).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('removes duplicates of spec 2', () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['5678', '5678', 'abc'] }]
    const parsed = parseAnyVersionValue({ ignition: { version: '2.2.0' }, passwd: { users } })
    expect(parsed.config).toEqual({ ignition: { version: '3.5.0' }, ...core })
  })

  it.each(['21.0.0', '2.3.0', '3.9.0', ''])('refuses version "%s"', (version) => {
    const parsed = parseAnyVersionValue({ ignition: { version }, ...core })
    expect(parsed.config).toBeUndefined()
    expect(parsed.report.fatal).toBe(true)
  })

  it('refuses what is no JSON', () => {
    expect(parseAnyVersion('{').report.fatal).toBe(true)
    expect(parseAnyVersion('').report.fatal).toBe(true)
  })

  it('says where in the text something of spec 2 is wrong', () => {
    const text =
      '{\n  "ignition": {"version": "2.2.0"},\n  "networkd": {"units": [{"name": "a"}]}\n}'
    const { config, report } = parseAnyVersion(text)
    expect(config).toBeUndefined()
    expect(report.entries).toEqual([
      {
        level: 'error',
        path: ['networkd'],
        message: 'is gone in spec 3; use files instead',
        position: { line: 3, column: 15 },
      },
    ])
  })

  it('names a file of spec 2 by its path if the rules of spec 3 refuse it', () => {
    const files = [
      { filesystem: 'root', path: '/good' },
      { filesystem: 'root', path: '/bad', contents: { source: 'oem:///x' } },
    ]
    const { report } = parseAnyVersionValue({ ignition: { version: '2.2.0' }, storage: { files } })
    expect(report.entries.map(({ path }) => pathText(path))).toEqual([
      '$.storage.files["/bad"].contents.source',
    ])
  })
})

describe('any config of spec 2 that spec 3 can say', () => {
  it('is valid there, and the same as text and as value', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(true), (old) => {
        const { config } = parseAnyVersion(JSON.stringify(old))
        expect(validate(config!).fatal).toBe(false)
        expect(sameConfig(parseAnyVersionValue(old).config!, config!)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})
