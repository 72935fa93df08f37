import { mkdtemp, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDataDirectory } from './data-directory.ts'

describe('--data', () => {
  it('is created for its owner only, and can exist', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'machinist-data-')), 'a/b')
    await createDataDirectory(path)
    await createDataDirectory(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['is a file', 'file', 'it is not a directory'],
    ['is a dangling link', 'link', 'it is not a directory'],
    ['is below a file', 'file/below', 'a parent is not a directory'],
  ])('that %s is an error with a hint', async (_what, path, why) => {
    const directory = await mkdtemp(join(tmpdir(), 'machinist-data-'))
    await writeFile(join(directory, 'file'), '')
    await symlink('nowhere', join(directory, 'link'))
    const data = join(directory, path)
    await expect(createDataDirectory(data)).rejects.toThrow(
      `--data ${data} cannot be used: ${why}. Use a directory that is writable or can be created`,
    )
  })

  it('that cannot be created is an error', async () => {
    await expect(createDataDirectory('/proc/machinist/data')).rejects.toThrow(
      /^--data \/proc\/machinist\/data cannot be used: (no such file or directory|permission denied|operation not permitted)\. Use/,
    )
  })
})
