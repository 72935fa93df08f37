import { isObject } from '@machinist/core/json'
import { HostFailure } from '../../host-failure.ts'

export interface BootcImages {
  /** Absent if this machine was not set up by bootc. */
  readonly booted?: string
  /** What the next boot brings: the same, unless something is staged or a rollback is queued. */
  readonly next?: string
  /** Staged, but it becomes the next boot's only when somebody says so. */
  readonly downloaded?: string
  /** The next boot would go back to what ran before. */
  readonly rollbackQueued: boolean
}

/** From `bootc status --json`. */
export function readBootcStatus(json: string): BootcImages {
  const status = inside(parsed(json), 'status')
  const booted = imageOf(inside(status, 'booted'))
  if (booted === undefined) return { rollbackQueued: false }
  const entry = inside(status, 'staged')
  const staged = imageOf(entry)
  const isHeld = inside(entry, 'downloadOnly') === true
  const rollbackQueued = inside(status, 'rollbackQueued') === true
  // What is staged comes first: a rollback that was queued before drops it.
  const queued = rollbackQueued ? imageOf(inside(status, 'rollback')) : undefined
  const next = (isHeld ? undefined : staged) ?? queued ?? booted
  return {
    booted,
    next,
    ...(isHeld && staged !== undefined && { downloaded: staged }),
    rollbackQueued,
  }
}

function imageOf(entry: unknown): string | undefined {
  const image = inside(inside(inside(entry, 'image'), 'image'), 'image')
  return typeof image === 'string' ? image : undefined
}

const inside = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new HostFailure('bootc status --json wrote something that is not JSON', 'EINVAL')
  }
}
