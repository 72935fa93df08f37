import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { StreamRequest, Transport } from '@machinist/kube/transport'

/** A line on which news about some things come late, while everything that is asked is answered at once. */
export function lateLine(
  inner: Transport,
  clock: Clock,
  lateMs: (request: StreamRequest) => number,
): Transport {
  return {
    request: (request) => inner.request(request),
    stream: async function* (request) {
      for await (const chunk of inner.stream(request)) {
        await sleep(clock, lateMs(request), request.signal)
        yield chunk
      }
    },
    close: () => inner.close(),
  }
}
