import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Watch } from '../../../../src/daemon/host/host.ts'
import { watchPaths } from '../../../../src/daemon/host/files/watch-paths.ts'

let root: string
let watch: Watch | undefined
let reported: (string | undefined)[] = []
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'machinist-watch-'))
  await fs.mkdir(join(root, 'a/b/c'), { recursive: true })
  reported = []
})
afterEach(async () => {
  watch?.close()
  await fs.rm(root, { recursive: true, force: true })
})

const watching = (...paths: string[]): void => {
  watch = watchPaths(root, paths, (path) => reported.push(path))
}
const untilReported = async (path: string): Promise<(string | undefined)[]> => {
  await until(`${path} is reported`, () => reported.includes(path))
  const all = [...new Set(reported)]
  reported = []
  return all
}
/** The inotify watches of this process. */
const watchesHeld = async (): Promise<number> => {
  let held = 0
  for (const fd of await fs.readdir('/proc/self/fdinfo')) {
    const info = await fs.readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '')
    held += info.split('\n').filter((line) => line.startsWith('inotify wd:')).length
  }
  return held
}

describe('watchPaths', () => {
  it('reports writes in place, renames, deletions and chmod', async () => {
    watching('/a/x')
    const at = join(root, 'a/x')
    await fs.writeFile(at, '1')
    expect(await untilReported('/a/x')).toEqual(['/a/x'])
    await fs.appendFile(at, '2')
    expect(await untilReported('/a/x')).toEqual(['/a/x'])
    await fs.writeFile(join(root, 'a/other'), '3')
    await fs.rename(join(root, 'a/other'), at)
    expect(await untilReported('/a/x')).toEqual(['/a/x'])
    await fs.chmod(at, 0o600)
    expect(await untilReported('/a/x')).toEqual(['/a/x'])
    await fs.rm(at)
    expect(await untilReported('/a/x')).toEqual(['/a/x'])
  })

  it('continues in a directory that is moved to the path of another', async () => {
    await fs.mkdir(join(root, 'new/b/c'), { recursive: true })
    watching('/a/b/c/x')
    for (const [from, to] of [
      ['a', 'old'],
      ['new', 'a'],
    ] as const) {
      await fs.rename(join(root, from), join(root, to))
      expect(await untilReported('/a/b/c/x')).toEqual(['/a/b/c/x'])
    }
    await fs.writeFile(join(root, 'old/b/c/x'), 'not this one')
    await fs.writeFile(join(root, 'a/b/c/x'), 'this one')
    expect(await untilReported('/a/b/c/x')).toEqual(['/a/b/c/x'])
    await fs.rm(join(root, 'a'), { recursive: true })
    expect(await untilReported('/a/b/c/x')).toEqual(['/a/b/c/x'])
    await fs.mkdir(join(root, 'a/b/c'), { recursive: true })
    expect(await untilReported('/a/b/c/x')).toEqual(['/a/b/c/x'])
  })

  it('follows links inside the root only', async () => {
    await fs.symlink('/a/b', join(root, 'link'))
    watching('/link/x')
    await fs.writeFile(join(root, 'a/b/x'), '')
    expect(await untilReported('/link/x')).toEqual(['/link/x'])
  })

  it('uses one watch for each directory, however many paths there are', async () => {
    const before = await watchesHeld()
    const many = Array.from({ length: 300 }, (_, i) => `/a/b/c/file-${i}`)
    watching(...many, '/a/b/not/there/yet', '/a/b/not/here/either')
    // The root, a, b and c.
    expect((await watchesHeld()) - before).toBe(4)
    await fs.mkdir(join(root, 'a/b/not/there'), { recursive: true })
    await untilReported('/a/b/not/there/yet')
    await until('the new directories are watched', async () => (await watchesHeld()) - before === 6)
    await fs.rm(join(root, 'a'), { recursive: true })
    await untilReported('/a/b/c/file-299')
    await until('only the root is left', async () => (await watchesHeld()) - before === 1)
    watch?.close()
    await until('none is left', async () => (await watchesHeld()) === before)
  })

  it('watches a path that does not resolve: a loop, a file, a dangling link', async () => {
    await fs.symlink('loop', join(root, 'loop'))
    await fs.symlink('/nowhere', join(root, 'dangling'))
    await fs.writeFile(join(root, 'file'), '')
    watching('/loop/x', '/dangling/x', '/file/x')
    for (const name of ['loop', 'dangling', 'file']) {
      await fs.rm(join(root, name))
      await fs.mkdir(join(root, name))
      expect(await untilReported(`/${name}/x`)).toEqual([`/${name}/x`])
      await until('it is quiet', async () => {
        reported = []
        await fs.writeFile(join(root, name, 'x'), '')
        await until('it is reported', () => reported.length > 0)
        return reported.every((path) => path === `/${name}/x`)
      })
      reported = []
    }
  })

  it('reports that events may be missed if its root does not exist', async () => {
    watch = watchPaths(join(root, 'none'), ['/x'], (path) => reported.push(path))
    await until('it is reported', () => reported.length > 0)
    expect(reported).toEqual([undefined])
  })
})
