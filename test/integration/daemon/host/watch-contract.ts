import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { HostFiles, NewFile, Watch } from '../../../../src/daemon/host/host.ts'
import type { OpenSubject, Subject } from './subject.ts'

const text = (content: string): NewFile => ({
  content: Buffer.from(content),
  mode: 0o644,
  uid: 0,
  gid: 0,
})
const directory = { mode: 0o755, uid: 0, gid: 0 }

/** The behavior of watches on every host. */
export function watchContract(open: OpenSubject): void {
  let subject: Subject
  let files: HostFiles
  let watch: Watch | undefined
  let reported: (string | undefined)[] = []
  beforeEach(async () => {
    subject = await open()
    files = subject.host.files
    await files.makeDirectory('/t', directory)
    reported = []
  })
  afterEach(async () => {
    watch?.close()
    await subject.close()
  })

  const watching = (...paths: string[]): void => {
    watch = files.watch(paths, (path) => reported.push(path))
  }
  /** Every reported path, once this one is reported. */
  const toldAfter = async (path: string): Promise<(string | undefined)[]> => {
    await until(`${path} is reported`, () => reported.includes(path))
    const paths = [...new Set(reported)]
    await quiet()
    reported = []
    return paths
  }
  /** Waits for pending events: events are ordered, so those of a later change come last. */
  const quiet = async (): Promise<void> => {
    let seen = false
    const probe = files.watch(['/t/probe'], () => (seen = true))
    await files.write('/t/probe', text(''))
    await until('the probe is seen', () => seen)
    probe.close()
    await files.remove('/t/probe')
  }

  it('reports that a file is created, replaced, appended to, changed, moved and removed', async () => {
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

  it('does not report other files of the same directory', async () => {
    watching('/t/x')
    await files.write('/t/x1', text(''))
    await files.makeDirectory('/t/y', directory)
    await files.write('/t/y/x', text(''))
    await quiet()
    expect(reported).toEqual([])
    await files.write('/t/x', text(''))
    expect(await toldAfter('/t/x')).toEqual(['/t/x'])
  })

  it('reports a file whose directory is created later', async () => {
    watching('/t/a/b/x')
    await files.makeDirectory('/t/a', directory)
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.makeDirectory('/t/a/c', directory)
    await quiet()
    expect(reported).toEqual([])
    await files.makeDirectory('/t/a/b', directory)
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.write('/t/a/b/x', text('1'))
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
    await files.write('/t/a/b/x', text('2'))
    expect(await toldAfter('/t/a/b/x')).toEqual(['/t/a/b/x'])
  })

  it('continues after the directory is removed and created again', async () => {
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

  it('reports that a link in the path changes its target', async () => {
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

  it('reports a file that has several paths under each of them', async () => {
    await files.makeDirectory('/t/a', directory)
    await files.link('/t/link', '/t/a')
    watching('/t/a/x', '/t/link/x')
    await files.write('/t/a/x', text(''))
    await until('both are reported', () => new Set(reported).size === 2)
    expect(new Set(reported)).toEqual(new Set(['/t/a/x', '/t/link/x']))
  })

  it('reports nothing after it is closed', async () => {
    watching('/t/x')
    watch?.close()
    await files.write('/t/x', text(''))
    await quiet()
    expect(reported).toEqual([])
  })
}
