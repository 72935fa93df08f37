import { isObject } from '@machinist/core/encoding/json'
import { HostFailure } from '../../host-failure.ts'

export interface BootcImages {
  /** Absent if the machine was not installed by bootc. */
  readonly booted?: string
  /** The image of the next boot: the booted one, unless an image is staged or a rollback is queued. */
  readonly next?: string
  /** Staged as download only: the next boot ignores it until it is applied. */
  readonly downloaded?: string
  /** The next boot boots the previous deployment. */
  readonly rollbackQueued: boolean
}

/** Parses `bootc status --json`. */
export function readBootcStatus(json: string): BootcImages {
  const status = member(parseJson(json), 'status')
  const booted = imageOf(member(status, 'booted'))
  if (booted === undefined) return { rollbackQueued: false }
  const entry = member(status, 'staged')
  const staged = imageOf(entry)
  const isDownloadOnly = member(entry, 'downloadOnly') === true
  const rollbackQueued = member(status, 'rollbackQueued') === true
  // The staged image has priority: to queue a rollback discards an image that was staged before.
  const queued = rollbackQueued ? imageOf(member(status, 'rollback')) : undefined
  const next = (isDownloadOnly ? undefined : staged) ?? queued ?? booted
  return {
    booted,
    next,
    ...(isDownloadOnly && staged !== undefined && { downloaded: staged }),
    rollbackQueued,
  }
}

function imageOf(entry: unknown): string | undefined {
  const image = member(member(member(entry, 'image'), 'image'), 'image')
  return typeof image === 'string' ? image : undefined
}

const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new HostFailure('the output of bootc status --json is not JSON', 'EINVAL')
  }
}
