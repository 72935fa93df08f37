import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'machinist-unzip-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Created by Python's zipfile: a folder `tools/`, `tools/hello` deflated, `tools/stored` uncompressed. */
const archive = join(directory, 'tools.zip')
writeFileSync(
  archive,
  Buffer.from(
    'UEsDBBQAAAAIAL29b10AAAAAAgAAAAAAAAAGAAAAdG9vbHMvAwBQSwMEFAAAAAgAvb1vXdqpmzQaAAAAVAAAAAsAAAB0b29scy9oZWxsb1NW1E/KzNMvzuBK' +
      'Tc7IV8hIzcnJ51KmTBAAUEsDBBQAAAAAAAAAIQCzJE6WCAAAAAgAAAAMAAAAdG9vbHMvc3RvcmVkYXMgaXQgaXNQSwECFAMUAAAACAC9vW9dAAAAAAIAAAAA' +
      'AAAABgAAAAAAAAAAABAA/UEAAAAAdG9vbHMvUEsBAhQDFAAAAAgAvb1vXdqpmzQaAAAAVAAAAAsAAAAAAAAAAAAAAIABJgAAAHRvb2xzL2hlbGxvUEsBAhQD' +
      'FAAAAAAAAAAhALMkTpYIAAAACAAAAAwAAAAAAAAAAAAAAIABaQAAAHRvb2xzL3N0b3JlZFBLBQYAAAAAAwADAKcAAACbAAAAAAA=',
    'base64',
  ),
)

const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'unzip.ts'), ...args], {
    encoding: 'utf8',
  })

describe('unzip.ts', () => {
  it('writes a deflated file', () => {
    expect(run(archive, 'tools/hello')).toMatchObject({
      status: 0,
      stdout: '#!/bin/sh\necho hello\n'.repeat(4),
    })
  })

  it('writes an uncompressed file', () => {
    expect(run(archive, 'tools/stored')).toMatchObject({ status: 0, stdout: 'as it is' })
  })

  it('fails for a missing name and for a file that is not an archive', () => {
    expect(run(archive, 'tools/other')).toMatchObject({ status: 1, stdout: '' })
    expect(run(archive, 'tools/other').stderr).toContain('contains no tools/other')
    const other = join(directory, 'other.zip')
    writeFileSync(other, 'nothing of the kind')
    expect(run(other, 'tools/hello')).toMatchObject({ status: 1, stdout: '' })
    expect(run(other, 'tools/hello').stderr).toContain('is not a ZIP archive')
  })
})
