import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ContainerRuntime, HostImages } from '../../../../src/daemon/host/host.ts'
import { failure } from './files-contract.ts'

/** The images of a machine under test, and changes by others. */
export interface ImagesSubject {
  readonly images: HostImages
  readonly runtime: ContainerRuntime
  /** Removes an image, as an administrator would. */
  remove(image: string): Promise<void>
  /** Makes pulls of this image fail. */
  breakPull(image: string): Promise<void>
  close(): Promise<void>
}

const image = (letter: string): string =>
  `registry.example.com:5000/team/app-${letter}@sha256:${letter.repeat(64)}`
const [a, b, c] = [image('a'), image('b'), image('c')]
const { signal } = new AbortController()

/** The behavior that the daemon requires of the images of every machine. */
export function imagesContract(open: () => Promise<ImagesSubject>): void {
  let subject: ImagesSubject
  let images: HostImages
  beforeEach(async () => {
    subject = await open()
    images = subject.images
  })
  afterEach(() => subject.close())

  it('belong to a runtime', async () => {
    expect(await images.runtime()).toBe(subject.runtime)
  })

  it('are present after a pull, until they are removed', async () => {
    expect(await images.present([])).toEqual(new Set())
    expect(await images.present([a, b])).toEqual(new Set())
    await images.pull(a, signal)
    await images.pull(a, signal)
    expect(await images.present([a, b])).toEqual(new Set([a]))
    await subject.remove(a)
    expect(await images.present([a, b])).toEqual(new Set())
  })

  it('have sizes, and the free space is known', async () => {
    expect(await images.freeBytes()).toBeGreaterThan(1024 ** 3)
    const layers = await images.layers(a, signal)
    expect(layers?.size).toBeGreaterThan(0)
    for (const size of layers?.values() ?? []) expect(size).toBeGreaterThan(0)
  })

  it('that cannot be pulled are named in the error', async () => {
    await subject.breakPull(b)
    expect(await failure(images.pull(b, signal), b)).toBe('exit 1')
    await images.pull(a, signal)
    expect(await images.present([a, b])).toEqual(new Set([a]))
  })

  it('are neither pulled nor listed after the signal aborts', async () => {
    await expect(images.pull(a, AbortSignal.abort())).rejects.toThrow(/abort|ended/)
    await expect(images.present([a], AbortSignal.abort())).rejects.toThrow(/abort|ended/)
    expect(await images.present([a])).toEqual(new Set())
  })

  it('are pinned exactly as requested, repeatedly', async () => {
    for (const each of [a, b, c]) await images.pull(each, signal)
    expect(await images.hasPins([])).toBe(true)
    expect(await images.hasPins([a])).toBe(false)
    for (const list of [[a, b], [a, b], [b, c], [b], [], [], [a]]) {
      await images.setPins(list)
      expect(await images.hasPins(list)).toBe(true)
      expect(await images.hasPins([a, b, c])).toBe(false)
      expect(await images.hasPins([])).toBe(list.length === 0)
    }
  })

  it('stay pinned when they are pulled again', async () => {
    for (const each of [a, b]) await images.pull(each, signal)
    await images.setPins([a])
    await images.pull(a, signal)
    expect(await images.hasPins([a])).toBe(true)
  })

  it('must be referenced by digest', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    for (const odd of ['', 'app', 'app:latest', `--help@${digest}`, `a b@${digest}`, `${a}\n`]) {
      await expect(images.pull(odd, signal)).rejects.toThrow('is not an image reference by digest')
      await expect(images.present([odd])).rejects.toThrow('is not an image reference by digest')
      await expect(images.layers(odd, signal)).rejects.toThrow(
        'is not an image reference by digest',
      )
    }
  })
}
