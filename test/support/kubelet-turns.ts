import type { NodeTrust } from '../../src/api/resources.ts'
import { nodeTrusts } from '../../src/api/resources.ts'
import type { Clock } from '../../src/base/clock.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/log.ts'
import { Metrics } from '../../src/base/metrics.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeObject, Resource } from '../../src/base/resource.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { runControllerSet } from '../../src/kube/controller/controller-set.ts'
import { Informer } from '../../src/kube/informer/informer.ts'
import type { Node } from '../../src/kube/kinds/core.ts'
import { nodes } from '../../src/kube/kinds/core.ts'
import { kubeletTurnsController } from '../../src/operator/kubelet-turns/kubelet-turns.ts'

/** Of the operator, only the loop that grants turns to restart kubelets. Resolves when it has stopped. */
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
      controllers: (events, keep) => {
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
        return [kubeletTurnsController({ ...tools, events, caches })]
      },
    },
    signal,
  )
}
