import { withoutLeading, withoutTrailing } from '@machinist/core/trimmed'

/** Maximum length of a message in bytes; the API rejects longer ones. */
const messageLimit = 1024
const nameLimit = 253
const ellipsis = '...'

/** Truncates a message that is too long, between two characters. */
export function limitedMessage(message: string): string {
  const bytes = Buffer.byteLength(message)
  if (bytes <= messageLimit) return message
  const room = messageLimit - ellipsis.length
  let used = 0
  let end = 0
  for (const character of message) {
    used += Buffer.byteLength(character)
    if (used > room) break
    end += character.length
  }
  return message.slice(0, end) + ellipsis
}

/** `worker-1.18d2f5c3a4b60f21`: the object and a time in nanoseconds; `serial` supplies the digits below a millisecond. */
export function eventName(objectName: string, now: number, serial: number): string {
  const nanos = BigInt(Math.trunc(now)) * 1_000_000n + BigInt(serial % 1_000_000)
  const suffix = `.${nanos.toString(16)}`
  return objectPart(objectName, nameLimit - suffix.length) + suffix
}

/** Some kinds allow names, such as `system:node`, that are not valid for an event. */
function objectPart(name: string, limit: number): string {
  const allowed = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, limit)
  const labels = allowed.split('.').map((label) => withoutLeading(withoutTrailing(label, '-'), '-'))
  return labels.filter((label) => label !== '').join('.') || 'unnamed'
}
