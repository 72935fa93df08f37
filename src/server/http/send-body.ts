import type { ServerResponse } from 'node:http'
import type { Cancel, Clock } from '@machinist/core/clock'

export interface SendLimits {
  readonly chunkBytes: number
  /** How long the client may take to read one chunk, in milliseconds. */
  readonly stallMs: number
}

/**
 * Sends the rest of a response in chunks, each after the client has read the one before. Node would otherwise encrypt all of it at
 * once, and thousands of slow readers would need a copy each. `onStall` is called before the connection of a reader that is too slow
 * is closed.
 */
export function sendBody(
  response: ServerResponse,
  bytes: Uint8Array,
  { chunkBytes, stallMs }: SendLimits,
  clock: Clock,
  onStall: () => void,
): void {
  let sent = 0
  let cancel: Cancel = () => {}
  const stalled = (): void => {
    onStall()
    response.destroy()
  }
  const sendMore = (): void => {
    let isRead = true
    while (isRead && sent < bytes.length) {
      cancel()
      const chunk = bytes.subarray(sent, sent + chunkBytes)
      sent += chunk.length
      isRead = sent < bytes.length ? response.write(chunk) : response.end(chunk).writableFinished
      if (!isRead) cancel = clock.after(stallMs, stalled)
    }
  }
  response.on('drain', sendMore)
  response.once('close', () => cancel())
  sendMore()
}
