import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ApiFailure } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'

/** The tools to read from an API server that stores at most one Node, and fails all other reads with 503. */
export function stepOn(node?: Node): Pick<StepContext, 'client' | 'clock' | 'signal'> {
  const clock = new VirtualClock(Date.parse('2026-03-01T12:00:00Z'))
  const client = new KubeClient({
    transport: {
      request: ({ method, path }) => {
        const isNode = path.startsWith('/api/v1/nodes/')
        if (!isNode || !node) {
          const [code, reason] = isNode ? [404, 'NotFound'] : [503, 'ServiceUnavailable']
          return Promise.reject(new ApiFailure({ method, path }, code, { reason }))
        }
        const body = Buffer.from(JSON.stringify(node))
        return Promise.resolve({ code: 200, contentType: 'application/json', body })
      },
      stream: () => {
        throw new Error('nothing is followed here')
      },
      close: () => undefined,
    },
    clock,
    random: { next: () => 0 },
  })
  return { client, clock, signal: new AbortController().signal }
}
