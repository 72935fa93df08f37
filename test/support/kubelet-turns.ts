import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { NodeTrust } from '../../src/api/kinds/resources.ts'
import { nodeTrusts } from '../../src/api/kinds/resources.ts'
import { kubeletTurnsController } from '../../src/operator/kubelet-turns/kubelet-turns.ts'

/** Runs only the operator's loop that grants turns to restart kubelets. Resolves when it has stopped. */
export async function runKubeletTurns(
  client: KubeClient,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const tools = {
    client,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new Metrics(),
  }
  await runControllerSet(
    {
      ...tools,
      component: 'machineconfigoperator',
      controllers: (context, keep) => {
        const follow = <T extends KubeObject>(resource: Resource<T>): Informer<T> => {
          const source = client.listWatch(resource)
          const informer = new Informer<T>({ ...tools, resource: resource.plural, source })
          keep(informer)
          return informer
        }
        const caches = {
          nodeTrusts: follow<NodeTrust>(nodeTrusts),
          nodes: follow<Node>(nodes),
        }
        return [kubeletTurnsController(context, caches)]
      },
    },
    signal,
  )
}
