import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { Pod } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import type { DrainPlan, EvictionStep } from './decide.ts'
import { evictPods } from './evict-pods.ts'
import type { DrainFacts } from './facts.ts'
import type { DrainCaches } from './inputs.ts'
import { namespaceIndex } from './inputs.ts'
import { patchNode } from './patch-node.ts'
import type { DrainProgress } from './progress.ts'
import { progressAfter } from './progress.ts'
import type { DrainRecord } from './record.ts'
import { recordText } from './record.ts'

export interface DrainWriteContext extends Pick<
  StepContext,
  'client' | 'clock' | 'log' | 'signal'
> {
  readonly caches: Pick<DrainCaches, 'budgets'>
}

export interface DrainResult {
  /** The daemon continues with the update. */
  readonly acknowledged: boolean
  /** The state of the drain after the action `evict`. */
  readonly progress?: DrainProgress
}

/** One step of a drain. A node that changed since it was read is left to the next reconcile. */
export async function act(
  { next }: DrainPlan,
  facts: DrainFacts,
  context: DrainWriteContext,
): Promise<DrainResult> {
  switch (next.action) {
    case 'fail':
      throw next.failure
    case 'cordon':
      await cordon(next.record, facts, context)
      return { acknowledged: false }
    case 'evict':
      return { acknowledged: false, progress: await evict(next, facts, context) }
    case 'acknowledge':
      return { acknowledged: await acknowledge(next.value, facts, context) }
    case 'nothing':
    case 'reject':
    case 'wait':
      return { acknowledged: false }
  }
}

async function cordon(
  record: DrainRecord,
  { node }: DrainFacts,
  context: DrainWriteContext,
): Promise<void> {
  const annotations = { [ownNodeAnnotations.drain]: recordText(record) }
  const change = { annotations, spec: { unschedulable: true } }
  if (!(await patchNode(node, change, context))) return
  context.log.info('cordoned node', { node: node.metadata.name, request: record.request })
}

async function acknowledge(
  value: string,
  { node }: DrainFacts,
  context: DrainWriteContext,
): Promise<boolean> {
  const annotations = { [nodeAnnotations.lastAppliedDrain]: value }
  if (!(await patchNode(node, { annotations }, context))) return false
  context.log.info('drained node', { node: node.metadata.name, request: value })
  return true
}

async function evict(
  step: EvictionStep,
  { reported }: DrainFacts,
  context: DrainWriteContext,
): Promise<DrainProgress> {
  const results = await evictPods(step, context)
  const budgetsOf = (pod: Readonly<Pod>) => budgetsFor(pod, context.caches)
  return progressAfter(step, results, budgetsOf, reported, context.clock.now())
}

/** Read after the evictions, so that the budgets match the answers of the API server. */
function budgetsFor(
  { metadata }: Readonly<Pod>,
  { budgets }: Pick<DrainCaches, 'budgets'>,
): Readonly<PodDisruptionBudget>[] {
  const candidates = budgets.byIndex(namespaceIndex, metadata.namespace ?? '')
  return candidates.filter(({ spec }) => {
    try {
      return matchesLabels(selectorFromSpec(spec?.selector, nothing), metadata.labels)
    } catch {
      // The API server rejects such selectors; otherwise its own message is reported.
      return false
    }
  })
}
