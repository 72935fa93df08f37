import { mkdtemp, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDataDirectory } from './data-directory.ts'

describe('--data', () => {
  it('is made for its owner only, and may be there', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'machinist-data-')), 'a/b')
    await makeDataDirectory(path)
    await makeDataDirectory(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['is a file', 'file', 'it is no directory'],
    ['is a link that leads nowhere', 'link', 'it is no directory'],
    ['is below a file', 'file/below', 'there is a file in the way'],
  ])('that %s is told with what to do', async (_what, path, why) => {
    const directory = await mkdtemp(join(tmpdir(), 'machinist-data-'))
    await writeFile(join(directory, 'file'), '')
    await symlink('nowhere', join(directory, 'link'))
    const data = join(directory, path)
    await expect(makeDataDirectory(data)).rejects.toThrow(
      `--data ${data} cannot be used: ${why}. Name a directory that you may write, or one that can be made`,
    )
  })

  it('where nothing can be made is told as well', async () => {
    await expect(makeDataDirectory('/proc/machinist/data')).rejects.toThrow(
      /^--data \/proc\/machinist\/data cannot be used: (no such file or directory|permission denied|operation not permitted)\. Name/,
    )
  })
})
