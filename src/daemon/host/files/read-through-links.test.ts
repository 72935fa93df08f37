import { describe, expect, it } from 'vitest'
import { MemoryFiles } from '../memory/memory-files.ts'
import { readThroughLinks } from './read-through-links.ts'

async function machine(): Promise<MemoryFiles> {
  const files = new MemoryFiles()
  for (const path of ['/var', '/var/lib', '/var/lib/pki', '/etc']) {
    await files.makeDirectory(path, { mode: 0o755, uid: 0, gid: 0 })
  }
  const certificate = { content: Buffer.from('certificate'), mode: 0o600, uid: 0, gid: 0 }
  await files.write('/var/lib/pki/client-2026.pem', certificate)
  return files
}

describe('a file of a machine', () => {
  it.each([
    ['itself', '/var/lib/pki/client-2026.pem', {}],
    ['an absolute link', '/a', { '/a': '/var/lib/pki/client-2026.pem' }],
    ['a relative one', '/var/lib/pki/now', { '/var/lib/pki/now': 'client-2026.pem' }],
    ['a link with ..', '/etc/now', { '/etc/now': '../var/lib/pki/client-2026.pem' }],
    ['a chain of links', '/b', { '/b': 'etc/c', '/etc/c': '/var/lib/pki/client-2026.pem' }],
  ])('is read through %s', async (_, path, links) => {
    const files = await machine()
    for (const [at, target] of Object.entries(links)) await files.link(at, target)
    expect(await readThroughLinks(files, path)).toBe('certificate')
  })

  it('that does not exist: the error names the missing path', async () => {
    const files = await machine()
    await files.link('/etc/now', '/var/lib/pki/client-2027.pem')
    await expect(readThroughLinks(files, '/etc/now')).rejects.toMatchObject({
      code: 'ENOENT',
      message: '/var/lib/pki/client-2027.pem does not exist',
    })
  })

  it('behind a loop of links is an error', async () => {
    const files = await machine()
    await files.link('/etc/a', 'b')
    await files.link('/etc/b', 'a')
    await expect(readThroughLinks(files, '/etc/a')).rejects.toMatchObject({ code: 'ELOOP' })
  })
})
