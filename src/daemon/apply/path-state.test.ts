import { describe, expect, it } from 'vitest'
import { sha256Hex } from '@machinist/core/digest'
import { faultyHost, Faults } from '../host/faults.fixture.ts'
import { MemoryHost } from '../host/memory/memory-host.ts'
import type { PathState } from './intent.ts'
import { absent, foundAt, putState } from './path-state.ts'

const stateOf = (content: string, mode = 0o644, uid = 0): PathState => ({
  type: 'file',
  mode,
  uid,
  gid: 0,
  digest: sha256Hex(content),
})
const link: PathState = { type: 'link', target: '/dev/null' }
const content = async (): Promise<Uint8Array> => Buffer.from('new')
const isWrite = (operation: string): boolean => /\.(write|link|remove|change) /.test(operation)

async function machine(): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.files.write('/etc/file', { content: Buffer.from('old'), mode: 0o640, uid: 5, gid: 6 })
  await host.files.link('/etc/link', '../somewhere')
  return host
}

describe('what is at a path', () => {
  it.each([
    ['/etc/file', { type: 'file', mode: 0o640, uid: 5, gid: 6, digest: sha256Hex('old') }],
    ['/etc/link', { type: 'link', target: '../somewhere' }],
    ['/etc/nothing', { type: 'absent' }],
    ['/etc/no/such/directory', { type: 'absent' }],
    ['/etc/file/below', { type: 'absent' }],
  ])('%s', async (path, state) => {
    const { files } = await machine()
    expect((await foundAt(files, path)).state).toEqual(state)
  })

  it('is refused where it cannot be replaced', async () => {
    const { files } = await machine()
    await expect(foundAt(files, '/etc')).rejects.toThrow(
      '/etc cannot be replaced: there is a directory',
    )
  })

  it('is told even below a file; other failures are not swallowed', async () => {
    const host = await machine()
    expect(await foundAt(host.files, '/etc/file/below')).toEqual({ state: { type: 'absent' } })
    const { files } = faultyHost(host, new Faults({ at: 1, fail: 'EIO' }))
    await expect(foundAt(files, '/etc/file')).rejects.toMatchObject({ code: 'EIO' })
  })
})

describe('putting something at a path', () => {
  it.each<[string, PathState]>([
    ['/etc/file', stateOf('new')],
    ['/etc/file', stateOf('new', 0o600, 7)],
    ['/etc/link', stateOf('new')],
    ['/etc/nothing', stateOf('new')],
    ['/etc/file', link],
    ['/etc/link', link],
    ['/etc/nothing', link],
    ['/etc/file', absent],
    ['/etc/link', absent],
    ['/etc/nothing', absent],
  ])('%s becomes %o, and the second time nothing is written', async (path, wanted) => {
    const host = await machine()
    await putState(host.files, path, wanted, content)
    expect((await foundAt(host.files, path)).state).toEqual(wanted)
    const faults = new Faults()
    await putState(faultyHost(host, faults).files, path, wanted, content)
    expect(faults.operations.filter(isWrite)).toEqual([])
  })

  it('never writes anything but what was noted', async () => {
    const { files } = await machine()
    const put = putState(files, '/etc/file', stateOf('noted'), content)
    await expect(put).rejects.toThrow('/etc/file: the content that was noted for it is damaged')
    expect(Buffer.from(await files.read('/etc/file')).toString()).toBe('old')
  })

  it('leaves directories alone', async () => {
    const { files } = await machine()
    await putState(files, '/etc', absent, content)
    expect(await files.look('/etc')).toMatchObject({ type: 'directory' })
  })
})
