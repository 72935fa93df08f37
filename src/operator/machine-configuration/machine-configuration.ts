import { names } from '../../api/names.ts'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { conditionOf } from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfiguration } from '../../api/resources.ts'
import { machineConfigurations } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isAlreadyExists, isNotFound, isRefused, refusalInWords } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import { reportsOn, statusFor } from './decide.ts'

export interface MachineConfigurationOptions {
  readonly client: KubeClient
  /** May be shared with others. */
  readonly machineConfigurations: Pick<
    Informer<MachineConfiguration>,
    'get' | 'synced' | 'subscribe'
  >
  /** How certificates are delivered; direct where it is left out. */
  readonly controllerConfigs?: Pick<Informer<ControllerConfig>, 'get' | 'synced' | 'subscribe'>
  readonly events: EventRecorder
  readonly reports: TaskReports
  readonly clock: Clock
}

const { machineConfiguration: name } = names
const fieldManager = 'machine-config-operator'
/** The rights or the rules of admission that refused something may change. */
const refusedMs = 60_000

/** Sees to it that MachineConfiguration `cluster` is there and says which disruption policy is in force. */
export function machineConfigurationController(options: MachineConfigurationOptions): Controller {
  return {
    name: 'machine-configuration',
    outputs: [machineConfigurations.kind],
    inputs: [inputOf(options), ...deliveryInput(options)],
    reconcile: (_, context) => reconcile(context, options),
  }
}

async function reconcile(
  { log, signal }: ReconcileContext,
  options: MachineConfigurationOptions,
): Promise<Outcome> {
  const { client, reports } = options
  const found = options.machineConfigurations.get(name)
  try {
    if (found) {
      tell(found, options)
      await showStatus(found, signal, options)
    } else {
      const spec = { managementState: 'Managed' }
      await client.create(
        machineConfigurations,
        { metadata: { name }, spec },
        { fieldManager, signal },
      )
      log.info('made the MachineConfiguration')
    }
  } catch (error) {
    if (isRefused(error)) {
      const message = refusalInWords(`${machineConfigurations.kind} ${name}`, error)
      if (reports.failed('MachineConfiguration', name, message)) {
        log.info('the MachineConfiguration was refused', { why: message })
      }
      return requeueAfter(refusedMs)
    }
    // Deleted or made by somebody else in between: the cache will tell.
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error
  }
  reports.done('MachineConfiguration', name)
  return settled
}

/** One write, and only if there is something to say. */
async function showStatus(
  found: Readonly<MachineConfiguration>,
  signal: AbortSignal,
  options: MachineConfigurationOptions,
): Promise<void> {
  const { client, clock } = options
  const now = timestamp(clock.now())
  const delivery = deliveryIn(options)
  const wanted = statusFor(found, now, delivery)
  if (found.metadata.deletionTimestamp || sameJson(wanted, found.status)) return
  const change = (current: MachineConfiguration): MachineConfiguration => ({
    ...current,
    status: statusFor(current, now, delivery),
  })
  const write = { subresource: 'status', fieldManager, signal } as const
  await modify(client, machineConfigurations, { name }, change, write)
}

/** Events for what is new: the condition on the object says what was reported before. */
function tell(found: Readonly<MachineConfiguration>, options: MachineConfigurationOptions): void {
  const about = referenceTo(machineConfigurations, found)
  for (const { type, reason, message } of reportsOn(found, deliveryIn(options))) {
    const told = conditionOf(found.status?.conditions, type)
    if (message === undefined || told?.message === message) continue
    options.events.warning(about, reason, message)
  }
}

function deliveryIn({ controllerConfigs }: MachineConfigurationOptions): CertificateDelivery {
  const { annotations } = controllerConfigs?.get(names.controllerConfig)?.metadata ?? {}
  const said = annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return certificateDeliveries.find((delivery) => delivery === said) ?? 'direct'
}

/** There is one, and somebody has to make it. */
function inputOf({ machineConfigurations: informer }: MachineConfigurationOptions): Input {
  const followed = input({ resource: machineConfigurations.kind, informer, keys: () => [name] })
  return {
    ...followed,
    subscribe: (enqueue) => {
      const leave = followed.subscribe(enqueue)
      enqueue(name, 0)
      return leave
    },
  }
}

function deliveryInput({ controllerConfigs: informer }: MachineConfigurationOptions): Input[] {
  if (!informer) return []
  const said = ({ metadata }: Readonly<ControllerConfig>): unknown =>
    metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return [
    input({
      resource: 'ControllerConfig',
      informer,
      keys: (change) => (isNews(change, said) ? [name] : []),
    }),
  ]
}
