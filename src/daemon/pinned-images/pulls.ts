import { messageOf } from '@machinist/core/errors'
import type { HostImages } from '../host/host.ts'
import { fewAtATime } from './few-at-a-time.ts'
import { inWords } from './room.ts'

export interface PullOptions {
  readonly images: Pick<HostImages, 'pull' | 'room'>
  /** How many at a time. */
  readonly workers: number
  readonly keepFreeBytes: number
  readonly signal: AbortSignal
  /** Asked before each: the cluster may want something else by now. */
  readonly isWanted: () => boolean
}

export interface Pulled {
  /** What went wrong, by image. */
  readonly failures: ReadonlyMap<string, string>
  /** Why the rest was not tried. */
  readonly shortage?: string
}

/** Pulls all of these, a few at a time. One that fails stops no other, unless there is no room left. */
export async function pullAll(missing: readonly string[], options: PullOptions): Promise<Pulled> {
  const { images, workers, keepFreeBytes, signal, isWanted } = options
  const failures = new Map<string, string>()
  let shortage: string | undefined
  await fewAtATime(missing, workers, async (image) => {
    if (signal.aborted || !isWanted()) return 'stop'
    try {
      const freeBytes = await images.room()
      if (freeBytes <= keepFreeBytes) shortage = tooLittle(freeBytes, keepFreeBytes)
      else await images.pull(image, signal)
    } catch (error) {
      if (signal.aborted) return 'stop'
      const message = messageOf(error)
      failures.set(image, message)
      if (/no space left on device/i.test(message)) shortage = message
    }
    return shortage === undefined ? 'next' : 'stop'
  })
  return { failures, ...(shortage !== undefined && { shortage }) }
}

const tooLittle = (free: number, keep: number): string =>
  `${inWords(keep)} must stay free, and there are only ${inWords(free)}: make room on the node, or pin less`
