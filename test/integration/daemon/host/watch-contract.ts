import { afterEach, beforeEach, expect, it } from 'vitest'
import type { HostFiles, NewFile, Watch } from '../../../../src/daemon/host/host.ts'
import { until } from '@machinist/testing/until'
import type { OpenSubject, Subject } from './subject.ts'

const text = (content: string): NewFile => ({
  content: Buffer.from(content),
  mode: 0o644,
  uid: 0,
  gid: 0,
})
const directory = { mode: 0o755, uid: 0, gid: 0 }

/** What is told about paths that change. */
export function watchContract(open: OpenSubject): void {
  let subject: Subject
  let files: HostFiles
  let watch: Watch | undefined
  let told: (string | undefined)[] = []
  beforeEach(async () => {
    subject = await open()
    files = subject.host.files
    await files.makeDirectory('/t', directory)
    told = []
  })
  afterEach(async () => {
    watch?.close()
    await subject.close()
  })

  const watching = (...paths: string[]): void => {
    watch = files.watch(paths, (path) => told.push(path))
  }
  /** Every path that was told, once this one was. */
  const toldAfter = async (path: string): Promise<(string | undefined)[]> => {
    await until(`${path} is told`, () => told.includes(path))
    const paths = [...new Set(told)]
    await quiet()
    told = []
    return paths
  }
  /** Lets what is still on its way arrive: events come in order, so those of a later change come after them. */
  const quiet = async (): Promise<void> => {
    let seen = false
    const probe = files.watch(['/t/probe'], () => (seen = true))
    await files.write('/t/probe', text(''))
    await until('the probe is seen', () => seen)
    probe.close()
    await files.remove('/t/probe')
  }

  it('tells that a file was made, replaced, appended to, changed, moved and removed', async () => {
    watching('/t/x', '/t/y')
    await files.write('/t/x', text('1'))
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
    await files.write('/t/x', text('2'))
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
    await files.append('/t/x', Buffer.from('3'))
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
    await files.change('/t/x', { mode: 0o600, uid: 0, gid: 0 })
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
    await files.move('/t/x', '/t/z')
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
    await files.move('/t/z', '/t/y')
    expect(await toldAfter('/t/y')).toEqual(['/t/y'])
    await files.remove('/t/y')
    expect(await toldAfter('/t/y')).toEqual(['/t/y'])
    await files.link('/t/y', '/nowhere')
    expect(await toldAfter('/t/y')).toEqual(['/t/y'])
  })

  it('does not tell about others in the same directory', async () => {
    watching('/t/x')
    await files.write('/t/x1', text(''))
    await files.makeDirectory('/t/y', directory)
    await files.write('/t/y/x', text(''))
    await quiet()
    expect(told).toEqual([])
    await files.write('/t/x', text(''))
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
  })

  it('tells when the directory comes later, and goes on', async () => {
    watching('/t/a/b/x')
    await files.makeDirectory('/t/a', directory)
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.makeDirectory('/t/a/c', directory)
    await quiet()
    expect(told).toEqual([])
    await files.makeDirectory('/t/a/b', directory)
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.write('/t/a/b/x', text('1'))
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.write('/t/a/b/x', text('2'))
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
  })

  it('goes on when the directory was removed and made again', async () => {
    await files.makeDirectory('/t/a', directory)
    watching('/t/a/x')
    for (let round = 0; round < 3; round++) {
      await files.write('/t/a/x', text(''))
      expect(await toldAfter('/t/a/x')).toEqual(['/t/a/x'])
      await files.remove('/t/a/x')
      await files.removeDirectory('/t/a')
      expect(await toldAfter('/t/a/x')).toEqual(['/t/a/x'])
      await files.makeDirectory('/t/a', directory)
      expect(await toldAfter('/t/a/x')).toEqual(['/t/a/x'])
    }
  })

  it('sees that a link on the way leads elsewhere', async () => {
    for (const name of ['a', 'b']) {
      await files.makeDirectory(`/t/${name}`, directory)
      await files.write(`/t/${name}/x`, text(name))
    }
    await files.link('/t/link', 'a')
    watching('/t/link/x')
    await files.write('/t/a/x', text('changed'))
    expect(await toldAfter('/t/link/x')).toEqual(['/t/link/x'])
    await files.link('/t/link', '/t/b')
    expect(await toldAfter('/t/link/x')).toEqual(['/t/link/x'])
    await files.write('/t/b/x', text('changed'))
    expect(await toldAfter('/t/link/x')).toEqual(['/t/link/x'])
  })

  it('tells of a file that belongs to several paths under each', async () => {
    await files.makeDirectory('/t/a', directory)
    await files.link('/t/link', '/t/a')
    watching('/t/a/x', '/t/link/x')
    await files.write('/t/a/x', text(''))
    await until('both are told', () => new Set(told).size === 2)
    expect(new Set(told)).toEqual(new Set(['/t/a/x', '/t/link/x']))
  })

  it('is silent once it is closed', async () => {
    watching('/t/x')
    watch?.close()
    await files.write('/t/x', text(''))
    await quiet()
    expect(told).toEqual([])
  })
}
