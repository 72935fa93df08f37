import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { supportedVersions } from '@machinist/ignition/convert/versions'
import { convertText } from './convert.ts'

const motd = { path: '/etc/motd', contents: { source: 'data:,hello' } }
const config = JSON.stringify({ ignition: { version: '3.4.0' }, storage: { files: [motd] } })

describe('converting a text', () => {
  it('converts to an older version', () => {
    expect(convertText(config, 'a.ign', '3.2')).toBe(`{
  "ignition": {
    "version": "3.2.0"
  },
  "storage": {
    "files": [
      {
        "path": "/etc/motd",
        "contents": {
          "source": "data:,hello"
        }
      }
    ]
  }
}
`)
  })

  it('converts to spec 2', () => {
    expect(JSON.parse(convertText(config, 'a.ign', '2.2'))).toEqual({
      ignition: { version: '2.2.0' },
      storage: { files: [{ filesystem: 'root', ...motd, overwrite: false }] },
    })
  })

  it('converts to a newer version', () => {
    expect(JSON.parse(convertText(config, 'a.ign', '3.5'))).toEqual({
      ignition: { version: '3.5.0' },
      storage: { files: [motd] },
    })
  })

  it('keeps a config of the same version, even if it cannot be converted', () => {
    const old = { ignition: { version: '2.2.0' }, networkd: { units: [{ name: 'a.network' }] } }
    expect(JSON.parse(convertText(JSON.stringify(old), 'a.ign', '2.2'))).toEqual(old)
  })

  it('reports the reason in one line', () => {
    const kargs = {
      ignition: { version: '3.5.0' },
      kernelArguments: { shouldExist: ['quiet'] },
      storage: { luks: [{ name: 'a', device: '/dev/a' }] },
    }
    expect(() => convertText(JSON.stringify(kargs), 'a.ign', '3.1')).toThrow(
      'a.ign: cannot be converted to Ignition 3.1.0: $.kernelArguments needs version 3.3.0 or later; ' +
        '$.storage.luks needs version 3.2.0 or later',
    )
  })

  it('names the file that cannot be read', () => {
    expect(() => convertText('{}', 'a.ign', '3.5')).toThrow(
      /^a\.ign: error at \$\.ignition\.version/,
    )
  })

  it('throws only InvalidInput, for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((rest) => `{"ignition":{"version":"2.2.0"},"storage":${rest}}`),
      fc.json().map((rest) => `{"ignition":{"version":"3.0.0"},"storage":{"files":[${rest}]}}`),
    )
    fc.assert(
      fc.property(text, fc.constantFrom(...supportedVersions), (some, to) => {
        expect([undefined, expect.any(InvalidInput)]).toContainEqual(
          thrownBy(() => convertText(some, 'a', to)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
