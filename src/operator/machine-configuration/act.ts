import { modify } from '@machinist/kube/client/modify'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { describeRefusal, isAlreadyExists, isNotFound, isRefused } from '@machinist/kube/failure'
import { names } from '../../api/names.ts'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import type { MachineConfigurationPlan } from './decide.ts'
import type { MachineConfigurationFacts } from './facts.ts'
import { statusFor } from './status.ts'

export interface MachineConfigurationResult {
  /** Why the API server refused the write, if it did. */
  readonly refusal?: string
}

const { machineConfiguration: name } = names
const fieldManager = 'machine-config-operator'

/** One write, or none. Daemons read the policy in effect from the status. */
export async function act(
  { action }: MachineConfigurationPlan,
  facts: MachineConfigurationFacts,
  step: StepContext,
): Promise<MachineConfigurationResult> {
  try {
    if (action === 'create') await create(step)
    else if (action === 'setStatus') await setStatus(facts, step)
    return {}
  } catch (error) {
    if (isRefused(error)) {
      return { refusal: describeRefusal(`${machineConfigurations.kind} ${name}`, error) }
    }
    // Deleted or created concurrently: a watch event follows.
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error
    return {}
  }
}

async function create({ client, log, signal }: StepContext): Promise<void> {
  const created = { metadata: { name }, spec: { managementState: 'Managed' } }
  await client.create(machineConfigurations, created, { fieldManager, signal })
  log.info('created the MachineConfiguration')
}

async function setStatus(
  { now, delivery }: MachineConfigurationFacts,
  { client, signal }: StepContext,
): Promise<void> {
  const change = (current: MachineConfiguration): MachineConfiguration => ({
    ...current,
    status: statusFor(current, now, delivery),
  })
  const write = { subresource: 'status', fieldManager, signal } as const
  await modify(client, machineConfigurations, { name }, change, write)
}
