import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { fileIn } from './base-file.ts'
import { filesSpec } from './files-spec.ts'

const machineConfig = (config: object): MachineConfig => ({
  metadata: { name: '00-worker' },
  spec: { config },
})
const withFile = (contents: object): MachineConfig =>
  machineConfig({ ignition: { version: '3.4.0' }, storage: { files: [{ path: '/a', contents }] } })

describe('a file of a MachineConfig', () => {
  it('is found by its path, decoded and unpacked', () => {
    expect(fileIn(withFile({ source: 'data:,hello%20you' }), '/a')).toBe('hello you')
    const packed = gzipSync('hello').toString('base64')
    const source = `data:;base64,${packed}`
    expect(fileIn(withFile({ source, compression: 'gzip' }), '/a')).toBe('hello')
    expect(fileIn(withFile({ source: 'data:,' }), '/b')).toBeUndefined()
  })

  it('is reported if it is invalid', () => {
    expect(() => fileIn(withFile({ source: 'https://example.com/a' }), '/a')).toThrow(
      new InvalidInput(
        '/a in MachineConfig 00-worker: the content is not inline but at a https: URL; only data: URLs are supported here',
      ),
    )
    expect(() => fileIn(machineConfig({ ignition: { version: '9.0.0' } }), '/a')).toThrow(
      new InvalidInput('MachineConfig 00-worker has an invalid spec.config'),
    )
  })
})

describe('generated files', () => {
  it('are world-readable, overwrite existing files, and are sorted by path', () => {
    expect(
      filesSpec([
        { path: '/b', text: 'x = "y"\n' },
        { path: '/a', text: '' },
      ]),
    ).toEqual({
      config: {
        ignition: { version: '3.2.0' },
        storage: {
          files: [
            { path: '/a', mode: 420, overwrite: true, contents: { source: 'data:,' } },
            {
              path: '/b',
              mode: 420,
              overwrite: true,
              contents: { source: 'data:,x%20%3D%20%22y%22%0A' },
            },
          ],
        },
      },
    })
    expect(filesSpec([])).toEqual({ config: { ignition: { version: '3.2.0' } } })
  })

  it('are read back unchanged', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const spec = filesSpec([{ path: '/a', text }])
        expect(fileIn({ metadata: { name: 'x' }, spec }, '/a')).toBe(text.toWellFormed())
      }),
    )
  })
})
