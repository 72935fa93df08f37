import { referenceTo } from '@machinist/core/objects/resource'
import type { Labels } from '@machinist/core/objects/selectors'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { nodes } from '@machinist/kube/kinds/core'
import { joinEvents } from '../../api/reasons.ts'
import type { RoleLabelsPlan } from './decide.ts'
import type { RoleLabelsFacts } from './facts.ts'

/** An event on a Node that an administrator must label. */
export function report(
  { facts: { node }, plan }: Pass<RoleLabelsFacts, RoleLabelsPlan | undefined>,
  { events }: Pick<StepContext, 'events'>,
): void {
  if (plan?.type !== 'ask') return
  const { name } = node.metadata
  const { config, pool, labels } = plan
  const message = `No MachineConfigPool selects node ${name}, which runs MachineConfig ${config} of pool ${pool}: it gets no updates. Run: kubectl label node ${name}${assignments(labels)}`
  events.warning(referenceTo(nodes, node), joinEvents.noPoolSelectsNode, message)
}

const assignments = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => ` ${key}=${value}`)
    .join('')
