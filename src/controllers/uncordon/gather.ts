import type { StepContext } from '@machinist/kube/controller/step-controller'
import { readNode, settingsFor } from '../drain/gather.ts'
import { pendingRequest } from '../drain/request.ts'
import { defaultSettings } from '../drain/settings.ts'
import type { UncordonFacts } from './facts.ts'
import type { UncordonCaches } from './inputs.ts'

/** Undefined if the node does not exist. */
export async function gather(
  name: string,
  caches: Pick<UncordonCaches, 'poolOf' | 'drainPolicies'>,
  step: Pick<StepContext, 'client' | 'signal'>,
): Promise<UncordonFacts | undefined> {
  const node = await readNode(name, step)
  if (!node) return undefined
  if (pendingRequest(node)?.verb !== 'uncordon') return { node, settings: defaultSettings }
  try {
    return { node, settings: settingsFor(caches, node) }
  } catch (readFailure) {
    return { node, settings: defaultSettings, readFailure }
  }
}
