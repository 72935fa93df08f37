import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Watch } from '../../../../src/daemon/host/host.ts'
import { watchPaths } from '../../../../src/daemon/host/watch-paths.ts'
import { until } from '@machinist/testing/until'

let root: string
let watch: Watch | undefined
let told: (string | undefined)[] = []
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'machinist-watch-'))
  await fs.mkdir(join(root, 'a/b/c'), { recursive: true })
  told = []
})
afterEach(async () => {
  watch?.close()
  await fs.rm(root, { recursive: true, force: true })
})

const watching = (...paths: string[]): void => {
  watch = watchPaths(root, paths, (path) => told.push(path))
}
const toldOf = async (path: string): Promise<(string | undefined)[]> => {
  await until(`${path} is told`, () => told.includes(path))
  const all = [...new Set(told)]
  told = []
  return all
}
/** Of this process, as the kernel counts them. */
const watchesHeld = async (): Promise<number> => {
  let held = 0
  for (const fd of await fs.readdir('/proc/self/fdinfo')) {
    const info = await fs.readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '')
    held += info.split('\n').filter((line) => line.startsWith('inotify wd:')).length
  }
  return held
}

describe('watchPaths', () => {
  it('sees what others do: write in place, rename over, delete, chmod', async () => {
    watching('/a/x')
    const at = join(root, 'a/x')
    await fs.writeFile(at, '1')
    expect(await toldOf('/a/x')).toEqual(['/a/x'])
    await fs.appendFile(at, '2')
    expect(await toldOf('/a/x')).toEqual(['/a/x'])
    await fs.writeFile(join(root, 'a/other'), '3')
    await fs.rename(join(root, 'a/other'), at)
    expect(await toldOf('/a/x')).toEqual(['/a/x'])
    await fs.chmod(at, 0o600)
    expect(await toldOf('/a/x')).toEqual(['/a/x'])
    await fs.rm(at)
    expect(await toldOf('/a/x')).toEqual(['/a/x'])
  })

  it('goes on in a directory that was moved into the place of another', async () => {
    await fs.mkdir(join(root, 'new/b/c'), { recursive: true })
    watching('/a/b/c/x')
    for (const [from, to] of [
      ['a', 'old'],
      ['new', 'a'],
    ] as const) {
      await fs.rename(join(root, from), join(root, to))
      expect(await toldOf('/a/b/c/x')).toEqual(['/a/b/c/x'])
    }
    await fs.writeFile(join(root, 'old/b/c/x'), 'not this one')
    await fs.writeFile(join(root, 'a/b/c/x'), 'this one')
    expect(await toldOf('/a/b/c/x')).toEqual(['/a/b/c/x'])
    await fs.rm(join(root, 'a'), { recursive: true })
    expect(await toldOf('/a/b/c/x')).toEqual(['/a/b/c/x'])
    await fs.mkdir(join(root, 'a/b/c'), { recursive: true })
    expect(await toldOf('/a/b/c/x')).toEqual(['/a/b/c/x'])
  })

  it('follows links inside the root only', async () => {
    await fs.symlink('/a/b', join(root, 'link'))
    watching('/link/x')
    await fs.writeFile(join(root, 'a/b/x'), '')
    expect(await toldOf('/link/x')).toEqual(['/link/x'])
  })

  it('holds one watch for each directory on the way, however many paths there are', async () => {
    const before = await watchesHeld()
    const many = Array.from({ length: 300 }, (_, i) => `/a/b/c/file-${i}`)
    watching(...many, '/a/b/not/there/yet', '/a/b/not/here/either')
    // The root, a, b and c.
    expect((await watchesHeld()) - before).toBe(4)
    await fs.mkdir(join(root, 'a/b/not/there'), { recursive: true })
    await toldOf('/a/b/not/there/yet')
    await until('it watches there', async () => (await watchesHeld()) - before === 6)
    await fs.rm(join(root, 'a'), { recursive: true })
    await toldOf('/a/b/c/file-299')
    await until('only the root is left', async () => (await watchesHeld()) - before === 1)
    watch?.close()
    await until('none is left', async () => (await watchesHeld()) === before)
  })

  it('waits where the way ends for now: a loop, a file, a dangling link', async () => {
    await fs.symlink('loop', join(root, 'loop'))
    await fs.symlink('/nowhere', join(root, 'dangling'))
    await fs.writeFile(join(root, 'file'), '')
    watching('/loop/x', '/dangling/x', '/file/x')
    for (const name of ['loop', 'dangling', 'file']) {
      await fs.rm(join(root, name))
      await fs.mkdir(join(root, name))
      expect(await toldOf(`/${name}/x`)).toEqual([`/${name}/x`])
      await until('it is quiet', async () => {
        told = []
        await fs.writeFile(join(root, name, 'x'), '')
        await until('it is told', () => told.length > 0)
        return told.every((path) => path === `/${name}/x`)
      })
      told = []
    }
  })

  it('tells that something may be missed when its root is not there', async () => {
    watch = watchPaths(join(root, 'none'), ['/x'], (path) => told.push(path))
    await until('it is told', () => told.length > 0)
    expect(told).toEqual([undefined])
  })
})
