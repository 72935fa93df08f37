import type { ApiResponse, ApiRequest, Transport } from '@machinist/kube/transport/transport'
import type { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { Refused } from '../../../simulation/api/refused.ts'
import { bodyText } from '../../../simulation/api/wire.ts'
import { failureFor } from '../../../simulation/link.ts'

/** Calls the simulated API directly, without delay or failures. */
export function directTransport(api: MemoryApi): Transport {
  return {
    request: (request) => Promise.try(() => respond(api, request)),
    stream() {
      throw new TypeError('watch is not supported')
    },
    close() {},
  }
}

function respond(api: MemoryApi, request: ApiRequest): ApiResponse {
  try {
    const body = bodyText(api.handle(request, 'test'), false)
    return { code: 200, contentType: 'application/json', body: Buffer.from(body) }
  } catch (error) {
    throw error instanceof Refused ? failureFor(request, error) : error
  }
}
