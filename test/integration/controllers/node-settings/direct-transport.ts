import type { Answer, Request, Transport } from '@machinist/kube/transport'
import type { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { Refused } from '../../../simulation/api/refused.ts'
import { bodyText } from '../../../simulation/api/wire.ts'
import { failureFor } from '../../../simulation/link.ts'

/** Reaches the simulated API at once and without fail. */
export function directTransport(api: MemoryApi): Transport {
  return {
    request: (request) => Promise.try(() => answered(api, request)),
    stream() {
      throw new TypeError('nobody watches here')
    },
    close() {},
  }
}

function answered(api: MemoryApi, request: Request): Answer {
  try {
    const body = bodyText(api.handle(request, 'test'), false)
    return { code: 200, contentType: 'application/json', body: Buffer.from(body) }
  } catch (error) {
    throw error instanceof Refused ? failureFor(request, error) : error
  }
}
