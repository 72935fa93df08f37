import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ConfirmedRead } from './confirmed-read.ts'

function bench() {
  const clock = new VirtualClock()
  const begun: number[] = []
  const reads: PromiseWithResolvers<string>[] = []
  const confirmed = new ConfirmedRead(clock, () => {
    begun.push(clock.elapsed())
    const read = Promise.withResolvers<string>()
    reads.push(read)
    return read.promise
  })
  return { clock, begun, reads, confirmed }
}

describe('a confirmed read', () => {
  it('is shared by callers that come before it begins, but not by later ones', async () => {
    const { clock, begun, reads, confirmed } = bench()
    const first = [confirmed.read(), confirmed.read()]
    await clock.advance(0)
    const second = confirmed.read()
    await clock.advance(0)
    expect(begun).toEqual([0])
    reads[0]!.resolve('old')
    expect(await Promise.all(first)).toEqual(['old', 'old'])
    await clock.advance(1000)
    expect(begun).toEqual([0, 1000])
    reads[1]!.resolve('new')
    expect(await second).toBe('new')
  })

  it('begins at most once per second, however many callers there are', async () => {
    const { clock, begun, reads, confirmed } = bench()
    const waiting: Promise<string>[] = []
    for (let ms = 0; ms < 5000; ms += 10) {
      waiting.push(confirmed.read())
      await clock.advance(10)
      for (const read of reads) read.resolve('')
    }
    await clock.advance(1000)
    for (const read of reads) read.resolve('')
    expect(begun).toEqual([0, 1000, 2000, 3000, 4000, 5000])
    expect(await Promise.all(waiting)).toHaveLength(500)
  })

  it('fails for its callers only', async () => {
    const { clock, reads, confirmed } = bench()
    const failed = confirmed.read()
    await clock.advance(0)
    reads[0]!.reject(new Error('away'))
    await expect(failed).rejects.toThrow('away')
    const next = confirmed.read()
    await clock.advance(1000)
    reads[1]!.resolve('there')
    expect(await next).toBe('there')
  })
})
