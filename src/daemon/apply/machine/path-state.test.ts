import { describe, expect, it } from 'vitest'
import { sha256Hex } from '@machinist/core/encoding/digest'
import { faultyHost, Faults } from '../../host/faults.fixture.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import type { PathState } from '../intent.ts'
import { absentState, getPathState, setPathState } from './path-state.ts'

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

describe('getPathState', () => {
  it.each([
    ['/etc/file', { type: 'file', mode: 0o640, uid: 5, gid: 6, digest: sha256Hex('old') }],
    ['/etc/link', { type: 'link', target: '../somewhere' }],
    ['/etc/nothing', { type: 'absent' }],
    ['/etc/no/such/directory', { type: 'absent' }],
    ['/etc/file/below', { type: 'absent' }],
  ])('%s', async (path, state) => {
    const { files } = await machine()
    expect((await getPathState(files, path)).state).toEqual(state)
  })

  it('rejects a directory', async () => {
    const { files } = await machine()
    await expect(getPathState(files, '/etc')).rejects.toThrow(
      '/etc cannot be replaced: it is a directory',
    )
  })

  it('returns absent below a file, and does not hide other failures', async () => {
    const host = await machine()
    expect(await getPathState(host.files, '/etc/file/below')).toEqual({ state: { type: 'absent' } })
    const { files } = faultyHost(host, new Faults({ at: 1, fail: 'EIO' }))
    await expect(getPathState(files, '/etc/file')).rejects.toMatchObject({ code: 'EIO' })
  })
})

describe('setPathState', () => {
  it.each<[string, PathState]>([
    ['/etc/file', stateOf('new')],
    ['/etc/file', stateOf('new', 0o600, 7)],
    ['/etc/link', stateOf('new')],
    ['/etc/nothing', stateOf('new')],
    ['/etc/file', link],
    ['/etc/link', link],
    ['/etc/nothing', link],
    ['/etc/file', absentState],
    ['/etc/link', absentState],
    ['/etc/nothing', absentState],
  ])('%s becomes %o, and the second call writes nothing', async (path, desired) => {
    const host = await machine()
    await setPathState(host.files, path, desired, content)
    expect((await getPathState(host.files, path)).state).toEqual(desired)
    const faults = new Faults()
    await setPathState(faultyHost(host, faults).files, path, desired, content)
    expect(faults.operations.filter(isWrite)).toEqual([])
  })

  it('never writes content with another digest', async () => {
    const { files } = await machine()
    const put = setPathState(files, '/etc/file', stateOf('other'), content)
    await expect(put).rejects.toThrow('/etc/file: its content in the journal is damaged')
    expect(Buffer.from(await files.read('/etc/file')).toString()).toBe('old')
  })

  it('does not remove directories', async () => {
    const { files } = await machine()
    await setPathState(files, '/etc', absentState, content)
    expect(await files.stat('/etc')).toMatchObject({ type: 'directory' })
  })
})
