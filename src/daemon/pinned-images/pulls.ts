import { messageOf } from '@machinist/core/errors'
import type { HostImages } from '../host/host.ts'
import { forEachLimited } from './limited-concurrency.ts'
import { formatBytes } from './disk-space.ts'

export interface PullOptions {
  readonly images: Pick<HostImages, 'pull' | 'freeBytes'>
  /** Number of concurrent pulls. */
  readonly workers: number
  readonly keepFreeBytes: number
  readonly signal: AbortSignal
  /** Called before each pull: whether the images are still the desired ones. */
  readonly isDesired: () => boolean
}

export interface PullResult {
  /** Failures by image. */
  readonly failures: ReadonlyMap<string, string>
  /** Why the remaining images were not pulled. */
  readonly shortage?: string
}

/** Pulls all images with limited concurrency. A failure does not stop the others, unless the disk is full. */
export async function pullAll(
  missing: readonly string[],
  options: PullOptions,
): Promise<PullResult> {
  const { images, workers, keepFreeBytes, signal, isDesired } = options
  const failures = new Map<string, string>()
  let shortage: string | undefined
  await forEachLimited(missing, workers, async (image) => {
    if (signal.aborted || !isDesired()) return 'stop'
    try {
      const freeBytes = await images.freeBytes()
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
  `${formatBytes(keep)} must stay free, and only ${formatBytes(free)} are: free disk space on the node, or pin fewer images`
