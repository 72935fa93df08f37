import { names } from '../../api/names.ts'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { conditionOf } from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfiguration } from '../../api/kinds/resources.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isAlreadyExists, isNotFound, isRefused, describeRefusal } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import { reportsOn, statusFor } from './decide.ts'

export interface MachineConfigurationOptions {
  readonly client: KubeClient
  /** Other controllers may share the informer. */
  readonly machineConfigurations: Pick<
    Informer<MachineConfiguration>,
    'get' | 'synced' | 'subscribe'
  >
  /** For the certificate delivery; `direct` if omitted. */
  readonly controllerConfigs?: Pick<Informer<ControllerConfig>, 'get' | 'synced' | 'subscribe'>
  readonly events: EventRecorder
  readonly reports: TaskReports
  readonly clock: Clock
}

const { machineConfiguration: name } = names
const fieldManager = 'machine-config-operator'
/** Requeue interval after a rejected write: RBAC or admission policies may change. */
const requeueAfterMs = 60_000

/** Creates MachineConfiguration `cluster`, and sets the disruption policy in effect in its status. */
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
      emitEvents(found, options)
      await writeStatus(found, signal, options)
    } else {
      const spec = { managementState: 'Managed' }
      await client.create(
        machineConfigurations,
        { metadata: { name }, spec },
        { fieldManager, signal },
      )
      log.info('created the MachineConfiguration')
    }
  } catch (error) {
    if (isRefused(error)) {
      const message = describeRefusal(`${machineConfigurations.kind} ${name}`, error)
      if (reports.failed('MachineConfiguration', name, message)) {
        log.info('cannot write the MachineConfiguration', { why: message })
      }
      return requeueAfter(requeueAfterMs)
    }
    // Deleted or created concurrently: a watch event follows.
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error
  }
  reports.done('MachineConfiguration', name)
  return settled
}

/** Writes the status if it changes. */
async function writeStatus(
  found: Readonly<MachineConfiguration>,
  signal: AbortSignal,
  options: MachineConfigurationOptions,
): Promise<void> {
  const { client, clock } = options
  const now = timestamp(clock.now())
  const delivery = certificateDelivery(options)
  const desired = statusFor(found, now, delivery)
  if (found.metadata.deletionTimestamp || sameJson(desired, found.status)) return
  const change = (current: MachineConfiguration): MachineConfiguration => ({
    ...current,
    status: statusFor(current, now, delivery),
  })
  const write = { subresource: 'status', fieldManager, signal } as const
  await modify(client, machineConfigurations, { name }, change, write)
}

/** Emits events for new problems: the conditions contain those reported before. */
function emitEvents(
  found: Readonly<MachineConfiguration>,
  options: MachineConfigurationOptions,
): void {
  const about = referenceTo(machineConfigurations, found)
  for (const { type, reason, message } of reportsOn(found, certificateDelivery(options))) {
    const reported = conditionOf(found.status?.conditions, type)
    if (message === undefined || reported?.message === message) continue
    options.events.warning(about, reason, message)
  }
}

function certificateDelivery({
  controllerConfigs,
}: MachineConfigurationOptions): CertificateDelivery {
  const { annotations } = controllerConfigs?.get(names.controllerConfig)?.metadata ?? {}
  const value = annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return certificateDeliveries.find((delivery) => delivery === value) ?? 'direct'
}

/** Enqueues the key at the start, because the object may have to be created. */
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
  const relevant = ({ metadata }: Readonly<ControllerConfig>): unknown =>
    metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return [
    input({
      resource: 'ControllerConfig',
      informer,
      keys: (change) => (isRelevantChange(change, relevant) ? [name] : []),
    }),
  ]
}
