import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfigs } from '../generated/store.ts'
import type { KubeletDefaultsPlan } from './decide.ts'
import type { KubeletDefaultsFacts } from './facts.ts'

/** Stores the layers of the pool, and deletes stale ones. Returns the failed writes. */
export async function act(
  plan: KubeletDefaultsPlan,
  { stored }: KubeletDefaultsFacts,
  step: StoreOptions,
): Promise<StoreProblem[]> {
  if (plan.type === 'wait') return []
  const problems = await storeConfigs(plan.desired, stored, step)
  await deleteConfigs(plan.stale, step)
  return problems
}
