import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ContainerRuntime, HostImages } from '../../../../src/daemon/host/host.ts'
import { failure } from './files-contract.ts'

/** Images of a machine under test, and what others than the daemon can do to them. */
export interface ImagesSubject {
  readonly images: HostImages
  readonly runtime: ContainerRuntime
  /** Somebody removes one by hand. */
  remove(image: string): Promise<void>
  /** It cannot be pulled from now on. */
  breakPull(image: string): Promise<void>
  close(): Promise<void>
}

const image = (letter: string): string =>
  `registry.example.com:5000/team/app-${letter}@sha256:${letter.repeat(64)}`
const [a, b, c] = [image('a'), image('b'), image('c')]
const { signal } = new AbortController()

/** Everything that the daemon relies on, of any machine's images. */
export function imagesContract(open: () => Promise<ImagesSubject>): void {
  let subject: ImagesSubject
  let images: HostImages
  beforeEach(async () => {
    subject = await open()
    images = subject.images
  })
  afterEach(() => subject.close())

  it('are of a runtime', async () => {
    expect(await images.runtime()).toBe(subject.runtime)
  })

  it('are there once they are pulled, until somebody removes them', async () => {
    expect(await images.present([])).toEqual(new Set())
    expect(await images.present([a, b])).toEqual(new Set())
    await images.pull(a, signal)
    await images.pull(a, signal)
    expect(await images.present([a, b])).toEqual(new Set([a]))
    await subject.remove(a)
    expect(await images.present([a, b])).toEqual(new Set())
  })

  it('need room that can be told', async () => {
    expect(await images.room()).toBeGreaterThan(1024 ** 3)
    const layers = await images.layers(a, signal)
    expect(layers?.size).toBeGreaterThan(0)
    for (const size of layers?.values() ?? []) expect(size).toBeGreaterThan(0)
  })

  it('that cannot be pulled are named', async () => {
    await subject.breakPull(b)
    expect(await failure(images.pull(b, signal), b)).toBe('exit 1')
    await images.pull(a, signal)
    expect(await images.present([a, b])).toEqual(new Set([a]))
  })

  it('are not pulled, and not looked for, for somebody who has left', async () => {
    await expect(images.pull(a, AbortSignal.abort())).rejects.toThrow(/abort|ended/)
    await expect(images.present([a], AbortSignal.abort())).rejects.toThrow(/abort|ended/)
    expect(await images.present([a])).toEqual(new Set())
  })

  it('are kept: exactly those, again and again', async () => {
    for (const each of [a, b, c]) await images.pull(each, signal)
    expect(await images.keeps([])).toBe(true)
    expect(await images.keeps([a])).toBe(false)
    for (const list of [[a, b], [a, b], [b, c], [b], [], [], [a]]) {
      await images.keep(list)
      expect(await images.keeps(list)).toBe(true)
      expect(await images.keeps([a, b, c])).toBe(false)
      expect(await images.keeps([])).toBe(list.length === 0)
    }
  })

  it('are kept also when somebody pulls them again', async () => {
    for (const each of [a, b]) await images.pull(each, signal)
    await images.keep([a])
    await images.pull(a, signal)
    expect(await images.keeps([a])).toBe(true)
  })

  it('are named by digest, and in no other way', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    for (const odd of ['', 'app', 'app:latest', `--help@${digest}`, `a b@${digest}`, `${a}\n`]) {
      await expect(images.pull(odd, signal)).rejects.toThrow('is not an image by digest')
      await expect(images.present([odd])).rejects.toThrow('is not an image by digest')
      await expect(images.layers(odd, signal)).rejects.toThrow('is not an image by digest')
    }
  })
}
