import { describe, expect, it } from 'vitest'
import { pullAll } from './pulls.ts'

const images = ['a', 'b', 'c', 'd', 'e', 'f']

interface Trial {
  readonly pull?: (image: string) => Promise<void>
  readonly room?: () => number
  readonly workers?: number
  readonly isDesired?: () => boolean
  readonly signal?: AbortSignal
}

async function tried({ pull, room = () => 100, workers = 2, isDesired, signal }: Trial) {
  const begun: string[] = []
  let now = 0
  let most = 0
  const pulled = await pullAll(images, {
    images: {
      freeBytes: async () => room(),
      async pull(image) {
        begun.push(image)
        most = Math.max(most, ++now)
        try {
          await Promise.resolve()
          await pull?.(image)
        } finally {
          now--
        }
      },
    },
    workers,
    keepFreeBytes: 10,
    signal: signal ?? new AbortController().signal,
    isDesired: isDesired ?? (() => true),
  })
  return { ...pulled, begun, most }
}

const failing =
  (...those: string[]) =>
  async (image: string) => {
    if (those.includes(image)) throw new Error(`${image}: no`)
  }

describe('pulling', () => {
  it('pulls all images with limited concurrency', async () => {
    const { begun, most, failures, shortage } = await tried({ workers: 3 })
    expect([begun, most, failures.size, shortage]).toEqual([images, 3, 0, undefined])
    expect((await tried({ workers: 1 })).most).toBe(1)
  })

  it('continues after a failure', async () => {
    const { begun, failures } = await tried({ pull: failing('a', 'd') })
    expect(begun).toEqual(images)
    expect([...failures]).toEqual([
      ['a', 'a: no'],
      ['d', 'd: no'],
    ])
  })

  it('stops when the disk is full', async () => {
    const pull = async (): Promise<void> => {
      throw new Error('write /x: no space left on device')
    }
    const full = await tried({ pull, workers: 1 })
    expect([full.begun, full.shortage]).toEqual([['a'], 'write /x: no space left on device'])
    let free = 12
    const fuller = await tried({ room: () => free, pull: async () => void (free -= 2), workers: 1 })
    expect([fuller.begun, fuller.failures.size]).toEqual([['a'], 0])
    expect(fuller.shortage).toMatch(/^0 MiB must stay free, and only 0 MiB are: free disk space/)
  })

  it('stops when the images are no longer desired', async () => {
    let left = 3
    const { begun } = await tried({ isDesired: () => left-- > 0, workers: 1 })
    expect(begun).toEqual(['a', 'b', 'c'])
    const stop = new AbortController()
    const pull = async (): Promise<void> => {
      stop.abort()
      throw new Error('ended')
    }
    const ended = await tried({ pull, signal: stop.signal, workers: 1 })
    expect([ended.begun, ended.failures.size]).toEqual([['a'], 0])
  })
})
