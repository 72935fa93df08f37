import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readManifestFiles } from './read-manifest-files.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-manifests-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const written = (path: string, text: string | Uint8Array): string => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  return join(root, path)
}

describe('manifest files', () => {
  it('are all YAML and JSON files, also in folders and through links, in the order of paths', async () => {
    written('a/z.yaml', 'z')
    written('a/b/c.json', 'c')
    written('a/b/d.yml', 'd')
    written('a/notes.txt', 'no')
    written('a/.hidden.yaml', 'no')
    // A mounted ConfigMap.
    written('a/..2026/e.yaml', 'e')
    symlinkSync('..2026', join(root, 'a/..data'))
    symlinkSync('..data/e.yaml', join(root, 'a/e.yaml'))
    const { files, problems } = await readManifestFiles(join(root, 'a'))
    expect(problems).toEqual([])
    expect([...files]).toEqual([
      ['b/c.json', 'c'],
      ['b/d.yml', 'd'],
      ['e.yaml', 'e'],
      ['z.yaml', 'z'],
    ])
  })

  it('that cannot be used are reported, and the others are read', async () => {
    written('b/a.yaml', 'a')
    written('b/binary.yaml', Buffer.from([0xff]))
    symlinkSync('nowhere', join(root, 'b/dangling.yaml'))
    symlinkSync('.', join(root, 'b/folder'))
    symlinkSync('/dev/null', join(root, 'b/null.yaml'))
    chmodSync(written('b/secret.yaml', 'x'), 0o000)
    const { files, problems } = await readManifestFiles(join(root, 'b'))
    const isRoot = process.getuid?.() === 0
    expect([...files.keys()]).toEqual(isRoot ? ['a.yaml', 'secret.yaml'] : ['a.yaml'])
    expect(problems).toEqual([
      { file: 'binary.yaml', message: 'is not UTF-8 text' },
      { file: 'dangling.yaml', message: 'cannot be read: no such file or directory' },
      { file: 'folder', message: 'is a link to a folder, which is not followed' },
      { file: 'null.yaml', message: 'is not a file' },
      ...(isRoot ? [] : [{ file: 'secret.yaml', message: 'cannot be read: permission denied' }]),
    ])
  })

  it('must exist', async () => {
    mkdirSync(join(root, 'empty'))
    await expect(readManifestFiles(join(root, 'empty'))).rejects.toThrow(
      `--in ${root}/empty: contains no .yaml, .yml or .json file`,
    )
    await expect(readManifestFiles(join(root, 'none'))).rejects.toThrow(
      `--in ${root}/none: cannot be read: no such file or directory`,
    )
  })
})
