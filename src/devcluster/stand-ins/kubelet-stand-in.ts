import { keyOf, keyText } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { conditionOf } from '../../api/conditions.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { ignoreGone } from '../objects/ignore-gone.ts'
import type { StandInCaches } from './stand-in-caches.ts'
import { byNode } from './stand-in-caches.ts'

/** How long a container takes to terminate. */
const terminationMs = 2000

/** The part of a kubelet that handles pods: starts scheduled pods, and removes terminating pods after a delay. */
export function kubeletStandIn(tools: DevclusterTools, caches: StandInCaches): Controller {
  const { clock } = tools
  const endsAt = new Map<string, number>()
  return {
    name: 'kubelet-stand-in',
    inputs: [
      input({ resource: 'Pod', informer: caches.pods }),
      input({
        resource: 'Node',
        informer: caches.nodes,
        keys: ({ object }) =>
          caches.pods.byIndex(byNode, object.metadata.name).map((pod) => keyText(keyOf(pod))),
      }),
    ],
    outputs: ['Pod'],
    workers: 4,
    async reconcile(key, { signal }): Promise<Outcome> {
      const pod = caches.pods.get(key)
      const isEnding = pod?.metadata.deletionTimestamp !== undefined
      if (!isEnding) endsAt.delete(key)
      if (!pod || !hasReadyNode(pod, caches)) return settled
      if (!isEnding) {
        if (pod.status?.phase !== 'Running') await start(tools, pod, signal)
        return settled
      }
      const at = endsAt.get(key) ?? clock.elapsed() + terminationMs
      endsAt.set(key, at)
      const left = at - clock.elapsed()
      if (left > 0) return requeueAfter(left)
      endsAt.delete(key)
      await end(tools, pod, signal)
      return settled
    },
  }
}

/** Pods of a machine that is down do not change. */
function hasReadyNode({ spec }: Readonly<Pod>, { nodes }: StandInCaches): boolean {
  const node = spec?.nodeName ? nodes.get(spec.nodeName) : undefined
  return conditionOf(node?.status?.conditions, 'Ready')?.status === 'True'
}

async function start(
  { client, clock }: DevclusterTools,
  pod: Readonly<Pod>,
  signal: AbortSignal,
): Promise<void> {
  const time = timestamp(clock.now())
  const call = { subresource: 'status', signal } as const
  await ignoreGone(client.patch(pods, keyOf(pod), mergePatch(running(pod, time)), call))
}

async function end(
  { client }: DevclusterTools,
  pod: Readonly<Pod>,
  signal: AbortSignal,
): Promise<void> {
  const { uid } = pod.metadata
  const call = { graceSeconds: 0, ...(uid !== undefined && { uid }), signal }
  await ignoreGone(client.remove(pods, keyOf(pod), call))
}

function running({ spec }: Readonly<Pod>, time: string): object {
  const types = ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled']
  return {
    status: {
      phase: 'Running',
      startTime: time,
      conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: time })),
      containerStatuses: spec?.containers.map(({ name, image = '' }) => ({
        name,
        image,
        imageID: '',
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: time } },
      })),
    },
  }
}
