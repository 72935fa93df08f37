import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { StreamRequest, Transport } from '@machinist/kube/transport/transport'

/** A transport with delayed watch events; requests are not delayed. */
export function delayedTransport(
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
