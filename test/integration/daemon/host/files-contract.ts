import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import type { HostFiles, NewFile } from '../../../../src/daemon/host/host.ts'
import type { OpenSubject, Subject } from './subject.ts'

const text = (content: string, how: Partial<NewFile> = {}): NewFile => ({
  content: Buffer.from(content),
  mode: 0o644,
  uid: 0,
  gid: 0,
  ...how,
})
const directory = { mode: 0o755, uid: 0, gid: 0 }

/** The behavior of the files of every host. */
export function filesContract(open: OpenSubject): void {
  let subject: Subject
  let files: HostFiles
  beforeAll(async () => {
    subject = await open()
    files = subject.host.files
  })
  afterAll(() => subject.close())
  beforeEach(() => files.makeDirectory('/t', directory))
  afterEach(() => removeTree(files, '/t'))

  const textAt = async (path: string): Promise<string> =>
    Buffer.from(await files.read(path)).toString()

  describe('stat', () => {
    it('returns undefined if the path or a directory above it does not exist', async () => {
      await files.write('/t/file', text(''))
      expect(await files.stat('/t/x')).toBeUndefined()
      expect(await files.stat('/t/x/y/z')).toBeUndefined()
      expect(await files.stat('/t/file/x/y')).toBeUndefined()
    })

    it('returns the root', async () => {
      expect(await files.stat('/')).toMatchObject({ type: 'directory' })
    })

    it('distinguishes a pipe from a file', async () => {
      await subject.addPipe('/t/pipe')
      expect(await files.stat('/t/pipe')).toEqual({ type: 'other' })
    })
  })

  describe('write', () => {
    it('sets content, mode and owner', async () => {
      await files.write('/t/x', text('hello', { mode: 0o640, uid: 1000, gid: 1001 }))
      expect(await textAt('/t/x')).toBe('hello')
      const entry = { type: 'file', size: 5, mode: 0o640, uid: 1000, gid: 1001 }
      expect(await files.stat('/t/x')).toEqual(entry)
    })

    it.each([0, 0o111, 0o200, 0o400, 0o644, 0o755, 0o1644, 0o2755, 0o4755, 0o7777])(
      'can set the mode %o',
      async (mode) => {
        await files.write('/t/x', text('secret', { mode, uid: 1000, gid: 1000 }))
        expect(await files.stat('/t/x')).toMatchObject({ mode, uid: 1000, gid: 1000 })
        expect(await textAt('/t/x')).toBe('secret')
        await files.write('/t/x', text('again', { mode }))
        expect(await files.stat('/t/x')).toMatchObject({ mode, uid: 0, gid: 0 })
        expect(await textAt('/t/x')).toBe('again')
      },
    )

    it('writes empty and large files', async () => {
      await files.write('/t/empty', text(''))
      expect(await files.stat('/t/empty')).toMatchObject({ size: 0 })
      expect(await textAt('/t/empty')).toBe('')
      const content = Buffer.alloc(5_000_001, 'machine')
      await files.write('/t/large', text('', { content }))
      expect(content.equals(await files.read('/t/large'))).toBe(true)
    })

    it('may be repeated', async () => {
      for (const content of ['one', 'one', 'two']) await files.write('/t/x', text(content))
      expect(await textAt('/t/x')).toBe('two')
      expect(await files.list('/t')).toEqual(['x'])
    })

    it('replaces a link, and does not change its target', async () => {
      await files.write('/t/target', text('before'))
      await files.link('/t/x', '/t/target')
      await files.write('/t/x', text('after'))
      expect(await files.stat('/t/x')).toMatchObject({ type: 'file' })
      expect(await textAt('/t/target')).toBe('before')
    })

    it('replaces neither a directory nor a pipe', async () => {
      await files.makeDirectory('/t/d', directory)
      await subject.addPipe('/t/pipe')
      expect(await failure(files.write('/t/d', text('')), '/t/d')).toBe('EISDIR')
      expect(await failure(files.write('/t/pipe', text('')), '/t/pipe')).toBe('EINVAL')
      expect(await files.stat('/t/d')).toMatchObject({ type: 'directory' })
      expect(await files.stat('/t/pipe')).toEqual({ type: 'other' })
      expect(await files.list('/t')).toEqual(['d', 'pipe'])
    })

    it('requires its directory', async () => {
      await files.write('/t/file', text(''))
      expect(await failure(files.write('/t/no/x', text('')), '/t/no/x')).toBe('ENOENT')
      expect(await failure(files.write('/t/file/x', text('')), '/t/file/x')).toBe('ENOTDIR')
      expect(await failure(files.write('/', text('')), 'root')).toBe('EINVAL')
    })

    it('does not share the content with its caller', async () => {
      const content = Buffer.from('mine')
      await files.write('/t/x', text('', { content }))
      content.fill('!')
      ;(await files.read('/t/x')).fill(0)
      expect(await textAt('/t/x')).toBe('mine')
    })

    it('is atomic with concurrent writers', async () => {
      const contents = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000))
      await Promise.all(contents.map((content) => files.write('/t/x', text(content))))
      expect(contents).toContain(await textAt('/t/x'))
      expect(await files.list('/t')).toEqual(['x'])
    })

    it('refuses names of temporary files', async () => {
      expect(await failure(files.write('/t/.x.machinist', text('')), '/t/.x.machinist')).toBe(
        'EINVAL',
      )
      expect(await failure(files.link('/t/.x.machinist', '/'), '/t/.x.machinist')).toBe('EINVAL')
    })
  })

  describe('names', () => {
    it.each([
      'with space',
      'line\nbreak',
      'tab\tand\rreturn',
      '-rf',
      'ü-日本-🦊',
      '*',
      '\\x2d',
      '"',
      '...',
      '..x',
      'n'.repeat(255),
      '日'.repeat(85),
    ])('can be %j', async (name) => {
      await files.write(`/t/${name}`, text(name))
      expect(await files.list('/t')).toEqual([name])
      expect(await textAt(`/t/${name}`)).toBe(name)
      await files.link(`/t/${name}`, name)
      expect(await files.stat(`/t/${name}`)).toMatchObject({ type: 'symlink', target: name })
      await files.remove(`/t/${name}`)
      await files.makeDirectory(`/t/${name}`, directory)
      await files.write(`/t/${name}/x`, text('inside'))
      expect(await textAt(`/t/${name}/x`)).toBe('inside')
    })

    it('cannot be longer than 255 bytes', async () => {
      for (const name of ['n'.repeat(256), '日'.repeat(86)]) {
        expect(await failure(files.write(`/t/${name}`, text('')), name)).toBe('ENAMETOOLONG')
        expect(await failure(files.write(`/t/${name}/x`, text('')), name)).toBe('ENAMETOOLONG')
      }
    })

    it.each(['', 'relative', '/t/../x', '/t/./x', '/t//x', '/t/', '//', '/t/x\0', '/..', '..'])(
      'of paths that are not absolute and normalized are refused: %j',
      async (path) => {
        const shown = JSON.stringify(path)
        expect(await failure(files.stat(path), shown)).toBe('EINVAL')
        expect(await failure(files.read(path), shown)).toBe('EINVAL')
        expect(await failure(files.list(path), shown)).toBe('EINVAL')
        expect(await failure(files.write(path, text('')), shown)).toBe('EINVAL')
        expect(await failure(files.append(path, Buffer.from('')), shown)).toBe('EINVAL')
        expect(await failure(files.link(path, '/'), shown)).toBe('EINVAL')
        expect(await failure(files.remove(path), shown)).toBe('EINVAL')
        expect(await failure(files.move(path, '/t/x'), shown)).toBe('EINVAL')
        expect(await failure(files.makeDirectory(path, directory), shown)).toBe('EINVAL')
        expect(await failure(files.removeDirectory(path), shown)).toBe('EINVAL')
        expect(await failure(files.change(path, directory), shown)).toBe('EINVAL')
      },
    )
  })

  describe('links in a path', () => {
    beforeEach(async () => {
      await files.makeDirectory('/t/real', directory)
      await files.makeDirectory('/t/real/deep', directory)
      await files.write('/t/real/x', text('real'))
      await files.write('/t/real/deep/x', text('deep'))
    })

    it.each([
      ['/t/real', 'real'],
      ['real', 'real'],
      ['./real/.', 'real'],
      ['//t///real//', 'real'],
      ['real/deep/..', 'real'],
      ['../t/real', 'real'],
      ['../../../../../t/real/deep', 'deep'],
      ['/../../t/real', 'real'],
      ['real/deep', 'deep'],
    ])('to %j are resolved as on the machine itself', async (target, content) => {
      await files.link('/t/link', target)
      expect(await textAt('/t/link/x')).toBe(content)
      await files.write('/t/link/y', text('new'))
      expect(await textAt('/t/link/y')).toBe('new')
      expect(await files.list('/t/link')).toContain('y')
      await files.remove('/t/link/y')
      expect(await files.stat('/t/link/y')).toBeUndefined()
      expect(await files.stat('/t/link')).toMatchObject({ type: 'symlink', target })
    })

    it('may be chained up to a limit', async () => {
      await files.link('/t/l1', 'real')
      for (let i = 2; i <= 41; i++) await files.link(`/t/l${i}`, `l${i - 1}`)
      expect(await textAt('/t/l40/x')).toBe('real')
      expect(await failure(files.read('/t/l41/x'), '/t/l41/x')).toBe('ELOOP')
      await files.link('/t/loop', 'loop')
      await files.link('/t/ping', '/t/pong')
      await files.link('/t/pong', 'ping')
      for (const path of ['/t/loop/x', '/t/ping/x']) {
        expect(await failure(files.stat(path), path)).toBe('ELOOP')
        expect(await failure(files.write(path, text('')), path)).toBe('ELOOP')
        expect(await failure(files.remove(path), path)).toBe('ELOOP')
      }
    })

    it('that are dangling have no entries below', async () => {
      await files.link('/t/dangling', '/nowhere')
      expect(await files.stat('/t/dangling/x')).toBeUndefined()
      expect(await files.list('/t/dangling')).toEqual([])
      await files.remove('/t/dangling/x')
      expect(await files.removeDirectory('/t/dangling/x')).toBe(true)
      expect(await failure(files.write('/t/dangling/x', text('')), '/t/dangling/x')).toBe('ENOENT')
      expect(await files.stat('/nowhere')).toBeUndefined()
    })

    it('of an ordinary user are not followed', async ({ skip }) => {
      if (!subject.addLink) return skip('cannot create links of other users')
      await subject.addLink('/t/untrusted', '/t/real', 1000)
      expect(await failure(files.read('/t/untrusted/x'), '/t/untrusted')).toBe('EACCES')
      expect(await failure(files.stat('/t/untrusted/x'), '/t/untrusted')).toBe('EACCES')
      expect(await failure(files.write('/t/untrusted/y', text('')), '/t/untrusted')).toBe('EACCES')
      expect(await failure(files.list('/t/untrusted'), '/t/untrusted')).toBe('EACCES')
      expect(await files.list('/t/real')).toEqual(['deep', 'x'])
      await files.write('/t/untrusted', text('replaced'))
      expect(await textAt('/t/untrusted')).toBe('replaced')
    })
  })

  describe('read', () => {
    it('requires a regular file', async () => {
      await files.link('/t/link', '/t/x')
      await subject.addPipe('/t/pipe')
      expect(await failure(files.read('/t/no'), '/t/no')).toBe('ENOENT')
      expect(await failure(files.read('/t'), '/t')).toBe('EISDIR')
      expect(await failure(files.read('/t/link'), '/t/link')).toBe('ELOOP')
      expect(await failure(files.read('/t/pipe'), '/t/pipe')).toBe('EINVAL')
    })

    it('fails above the limit', async () => {
      await files.write('/t/x', text('12345'))
      expect(Buffer.from(await files.read('/t/x', 5)).toString()).toBe('12345')
      expect(await failure(files.read('/t/x', 4), '/t/x')).toBe('EFBIG')
    })
  })

  describe('list', () => {
    it('is sorted, and includes hidden files', async () => {
      for (const name of ['b', 'a', '.z', 'B', 'é', '10', '9']) {
        await files.write(`/t/${name}`, text(''))
      }
      expect(await files.list('/t')).toEqual(['.z', '10', '9', 'B', 'a', 'b', 'é'])
    })

    it('is empty without a directory', async () => {
      await files.write('/t/x', text(''))
      expect(await files.list('/t/no')).toEqual([])
      expect(await files.list('/t/x')).toEqual([])
      expect(await files.list('/t/x/y')).toEqual([])
    })

    it('includes the directories of the root', async () => {
      expect(await files.list('/')).toContain('t')
    })
  })

  describe('append', () => {
    it('creates a private file, and appends to it', async () => {
      await files.append('/t/log', Buffer.from('one\n'))
      await files.append('/t/log', Buffer.from('two\n'))
      await files.append('/t/log', Buffer.alloc(0))
      expect(await textAt('/t/log')).toBe('one\ntwo\n')
      expect(await files.stat('/t/log')).toMatchObject({ mode: 0o600, uid: 0, gid: 0 })
    })

    it('keeps mode and owner', async () => {
      await files.write('/t/log', text('one\n', { mode: 0o640, uid: 7, gid: 8 }))
      await files.append('/t/log', Buffer.from('two\n'))
      expect(await files.stat('/t/log')).toMatchObject({ mode: 0o640, uid: 7, gid: 8, size: 8 })
    })

    it('requires a regular file or none', async () => {
      await files.link('/t/link', '/t/elsewhere')
      await subject.addPipe('/t/pipe')
      expect(await failure(files.append('/t/link', Buffer.from('x')), '/t/link')).toBe('ELOOP')
      expect(await failure(files.append('/t/pipe', Buffer.from('x')), '/t/pipe')).toBe('EINVAL')
      expect(await failure(files.append('/t/no/log', Buffer.from('x')), '/t/no/log')).toBe('ENOENT')
      expect(await failure(files.append('/t', Buffer.from('x')), '/t')).toBe('EISDIR')
      expect(await files.stat('/t/elsewhere')).toBeUndefined()
    })
  })

  describe('link', () => {
    it('accepts any target', async () => {
      for (const target of ['/dev/null', 'x', '../..', '/no/such/thing', 'a b\nc']) {
        await files.link('/t/link', target)
        await files.link('/t/link', target)
        const entry = { type: 'symlink', target, uid: 0, gid: 0 }
        expect(await files.stat('/t/link')).toEqual(entry)
      }
      expect(await files.list('/t')).toEqual(['link'])
    })

    it('replaces a file, not a directory', async () => {
      await files.write('/t/x', text('', { uid: 5, gid: 6 }))
      await files.link('/t/x', '/dev/null')
      expect(await files.stat('/t/x')).toMatchObject({ type: 'symlink', uid: 0, gid: 0 })
      await files.makeDirectory('/t/d', directory)
      expect(await failure(files.link('/t/d', '/dev/null'), '/t/d')).toBe('EISDIR')
    })
  })

  describe('remove', () => {
    it('removes files, links and pipes', async () => {
      await files.write('/t/file', text('', { mode: 0, uid: 3, gid: 4 }))
      await files.link('/t/link', '/t')
      await subject.addPipe('/t/pipe')
      for (const name of ['file', 'link', 'pipe']) {
        await files.remove(`/t/${name}`)
        await files.remove(`/t/${name}`)
      }
      expect(await files.list('/t')).toEqual([])
      await files.write('/t/file', text(''))
      expect(await files.stat('/t/file')).toMatchObject({ mode: 0o644, uid: 0, gid: 0 })
    })

    it('ignores a missing path', async () => {
      await files.write('/t/x', text(''))
      await files.remove('/t/no/such/thing')
      await files.remove('/t/x/y')
      expect(await files.list('/t')).toEqual(['x'])
    })

    it('does not remove directories', async () => {
      await files.makeDirectory('/t/d', directory)
      expect(await failure(files.remove('/t/d'), '/t/d')).toBe('EISDIR')
    })
  })

  describe('tidy', () => {
    it('does not change the file', async () => {
      await files.write('/t/x', text('x', { mode: 0o600 }))
      await files.makeDirectory('/t/d', directory)
      for (const path of ['/t/x', '/t/d', '/t/no', '/t/no/no', '/t/x/y']) await files.tidy(path)
      expect(await files.list('/t')).toEqual(['d', 'x'])
      expect(await files.stat('/t/x')).toMatchObject({ mode: 0o600, size: 1 })
    })
  })

  describe('move', () => {
    it('keeps content, mode and owner', async () => {
      await files.makeDirectory('/t/d', directory)
      await files.write('/t/a', text('a', { mode: 0o600, uid: 9, gid: 10 }))
      await files.write('/t/d/b', text('b'))
      await files.move('/t/a', '/t/d/b')
      expect(await files.stat('/t/a')).toBeUndefined()
      expect(await textAt('/t/d/b')).toBe('a')
      expect(await files.stat('/t/d/b')).toMatchObject({ mode: 0o600, uid: 9, gid: 10 })
    })

    it('moves a link itself, and may be repeated', async () => {
      await files.link('/t/a', '/nowhere')
      await files.move('/t/a', '/t/b')
      await files.move('/t/a', '/t/b')
      expect(await files.stat('/t/b')).toMatchObject({ type: 'symlink', target: '/nowhere' })
      expect(await files.list('/t')).toEqual(['b'])
    })

    it('requires a source and a directory for the target', async () => {
      await files.makeDirectory('/t/d', directory)
      await files.write('/t/a', text('a'))
      expect(await failure(files.move('/t/no', '/t/nothing'), '/t/no')).toBe('ENOENT')
      expect(await failure(files.move('/t/a', '/t/d'), '/t/d')).toBe('EISDIR')
      expect(await failure(files.move('/t/d', '/t/e'), '/t/d')).toBe('EISDIR')
      expect(await failure(files.move('/t/a', '/t/no/a'), '/t')).toBe('ENOENT')
      expect(await textAt('/t/a')).toBe('a')
    })

    it('to the same path changes nothing', async () => {
      await files.write('/t/a', text('a'))
      await files.move('/t/a', '/t/a')
      expect(await textAt('/t/a')).toBe('a')
    })
  })

  describe('directories', () => {
    it.each([0, 0o311, 0o555, 0o700, 0o755, 0o1777, 0o2775])(
      'are created with the mode %o and an owner',
      async (mode) => {
        await files.makeDirectory('/t/d', { mode, uid: 1000, gid: 1001 })
        const entry = { type: 'directory', mode, uid: 1000, gid: 1001 }
        expect(await files.stat('/t/d')).toEqual(entry)
        expect(await files.list('/t')).toEqual(['d'])
        await files.write('/t/d/x', text('in'))
        expect(await textAt('/t/d/x')).toBe('in')
      },
    )

    it('that exist stay unchanged', async () => {
      await files.makeDirectory('/t/d', { mode: 0o700, uid: 1, gid: 2 })
      await files.write('/t/d/x', text(''))
      await files.makeDirectory('/t/d', directory)
      expect(await files.stat('/t/d')).toMatchObject({ mode: 0o700, uid: 1, gid: 2 })
      expect(await files.list('/t/d')).toEqual(['x'])
      await files.link('/t/link', '/nowhere')
      await files.makeDirectory('/t/link', directory)
      expect(await files.stat('/t/link')).toMatchObject({ type: 'symlink' })
    })

    it('are not created in place of a file, or without a parent', async () => {
      await files.write('/t/x', text('x'))
      expect(await failure(files.makeDirectory('/t/x', directory), '/t/x')).toBe('EEXIST')
      expect(await failure(files.makeDirectory('/t/a/b', directory), '/t/a/b')).toBe('ENOENT')
      expect(await failure(files.makeDirectory('/t/x/b', directory), '/t/x/b')).toBe('ENOTDIR')
    })

    it('are removed if they are empty', async () => {
      await files.makeDirectory('/t/d', directory)
      await files.write('/t/d/x', text(''))
      await files.link('/t/link', '/t/d')
      expect(await files.removeDirectory('/t/d')).toBe(false)
      expect(await files.removeDirectory('/t/d/x')).toBe(false)
      expect(await files.removeDirectory('/t/link')).toBe(false)
      await files.remove('/t/d/x')
      expect(await files.removeDirectory('/t/d')).toBe(true)
      expect(await files.removeDirectory('/t/d')).toBe(true)
      expect(await files.removeDirectory('/t/no/no')).toBe(true)
      expect(await files.list('/t')).toEqual(['link'])
    })
  })

  describe('change', () => {
    it('sets mode and owner', async () => {
      await files.write('/t/x', text('x', { mode: 0 }))
      await files.makeDirectory('/t/d', { mode: 0, uid: 0, gid: 0 })
      for (const path of ['/t/x', '/t/d']) {
        await files.change(path, { mode: 0o4750, uid: 1000, gid: 1001 })
        await files.change(path, { mode: 0o4750, uid: 1000, gid: 1001 })
        expect(await files.stat(path)).toMatchObject({ mode: 0o4750, uid: 1000, gid: 1001 })
      }
      expect(await textAt('/t/x')).toBe('x')
    })

    it('requires a file or a directory', async () => {
      await files.link('/t/link', '/t')
      await subject.addPipe('/t/pipe')
      expect(await failure(files.change('/t/link', directory), '/t/link')).toBe('ELOOP')
      expect(await failure(files.change('/t/pipe', directory), '/t/pipe')).toBe('EINVAL')
      expect(await failure(files.change('/t/no', directory), '/t/no')).toBe('ENOENT')
    })
  })
}

async function removeTree(files: HostFiles, path: string): Promise<void> {
  for (const name of await files.list(path)) {
    const inside = `${path}/${name}`
    const entry = await files.stat(inside)
    await (entry?.type === 'directory' ? removeTree(files, inside) : files.remove(inside))
  }
  expect(await files.removeDirectory(path)).toBe(true)
}

/** The code of a failure whose message names the path. */
export async function failure(work: Promise<unknown>, about: string): Promise<string> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(HostFailure)
  const { code, message } = thrown as HostFailure
  expect(message).toContain(about)
  expect(message).not.toContain('/proc/self')
  return code
}
