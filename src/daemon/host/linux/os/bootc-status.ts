import { isObject } from '../../../../base/json.ts'
import { HostFailure } from '../../host-failure.ts'

export interface BootcImages {
  /** Absent if this machine was not set up by bootc. */
  readonly booted?: string
  /** What the next boot brings: the same, unless something is staged or a rollback is queued. */
  readonly next?: string
}

/** From `bootc status --json`. */
export function readBootcStatus(json: string): BootcImages {
  const status = inside(parsed(json), 'status')
  const booted = imageOf(inside(status, 'booted'))
  if (booted === undefined) return {}
  const queued = isObject(status) && status['rollbackQueued'] === true
  const next = imageOf(inside(status, queued ? 'rollback' : 'staged'))
  return { booted, next: next ?? booted }
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
