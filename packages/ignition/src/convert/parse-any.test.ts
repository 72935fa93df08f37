import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitrarySpec2Config } from '../spec2/arbitrary-config.fixture.ts'
import { sameConfig } from '../equality.ts'
import { pathText } from '../report/report.ts'
import { validate } from '../validate/validate.ts'
import { parseAnyVersion, parseAnyVersionValue } from './parse-any.ts'

const core = { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['5678', 'abc'] }] } }

describe('parsing a config of any version', () => {
  it.each(['2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])(
    'accepts %s',
    (version) => {
      const value = { ignition: { version }, ...core }
      const expected = { ignition: { version: '3.5.0' }, ...core }
      const parsed = parseAnyVersion(JSON.stringify(value))
      expect(parsed.config).toEqual(expected)
      expect(parsed.version).toBe(version)
      expect(parseAnyVersionValue(value).config).toEqual(expected)
    },
  )

  it('accepts bytes and text', () => {
    const bytes = Buffer.from(JSON.stringify({ ignition: { version: '2.2.0' } }))
    expect(parseAnyVersion(bytes).config).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('removes duplicates of spec 2', () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['5678', '5678', 'abc'] }]
    const parsed = parseAnyVersionValue({ ignition: { version: '2.2.0' }, passwd: { users } })
    expect(parsed.config).toEqual({ ignition: { version: '3.5.0' }, ...core })
  })

  it.each(['21.0.0', '2.3.0', '3.9.0', ''])('rejects version "%s"', (version) => {
    const parsed = parseAnyVersionValue({ ignition: { version }, ...core })
    expect(parsed.config).toBeUndefined()
    expect(parsed.report.fatal).toBe(true)
  })

  it('rejects invalid JSON', () => {
    expect(parseAnyVersion('{').report.fatal).toBe(true)
    expect(parseAnyVersion('').report.fatal).toBe(true)
  })

  it('reports the position of a problem in spec 2', () => {
    const text =
      '{\n  "ignition": {"version": "2.2.0"},\n  "networkd": {"units": [{"name": "a"}]}\n}'
    const { config, report } = parseAnyVersion(text)
    expect(config).toBeUndefined()
    expect(report.entries).toEqual([
      {
        level: 'error',
        path: ['networkd'],
        message: 'does not exist in spec 3; use files instead',
        position: { line: 3, column: 15 },
      },
    ])
  })

  it('identifies a file of spec 2 by its path if the rules of spec 3 reject it', () => {
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

describe('any config of spec 2 that spec 3 can express', () => {
  it('is valid in spec 3, and the same from a text and from a value', () => {
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
