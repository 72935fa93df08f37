import { machineConfigEvents } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { contentDigest } from '@machinist/core/encoding/digest'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { RenderCaches } from '../render/caches.ts'
import { unselectedReason } from './decide.ts'

export interface UnselectedConfigsOptions {
  readonly caches: Pick<RenderCaches, 'machineConfigs' | 'pools'>
  readonly events: EventRecorder
  readonly clock: Clock
}

/** Objects that are applied together may arrive in any order: a pool may follow its MachineConfigs. */
const delayMs = 5000

/** Emits events for MachineConfigs that no pool selects, because they have no status. Keys are MachineConfig names. */
export function unselectedConfigsController(options: UnselectedConfigsOptions): Controller {
  const { caches, events, clock } = options
  /** Unselected contents by name, since when, and whether an event was emitted. */
  const seen = new Map<string, { digest: string; since: number; isReported: boolean }>()
  const reconcile = async (name: string): Promise<Outcome> => {
    const found = caches.machineConfigs.get(name)
    const why = found && unselectedReason(found, caches.pools.list())
    if (why === undefined) {
      seen.delete(name)
      return settled
    }
    const { uid, labels } = found!.metadata
    const digest = contentDigest([uid, labels, found!.spec])
    const before = seen.get(name)
    const entry =
      before?.digest === digest ? before : { digest, since: clock.elapsed(), isReported: false }
    seen.set(name, entry)
    if (entry.isReported) return settled
    const waitMs = entry.since + delayMs - clock.elapsed()
    if (waitMs > 0) return requeueAfter(waitMs)
    entry.isReported = true
    events.warning(referenceTo(machineConfigs, found!), machineConfigEvents.notSelected, why)
    return settled
  }
  return { name: 'unselected-configs', inputs: inputsOf(caches), outputs: [], reconcile }
}

function inputsOf({ machineConfigs, pools }: UnselectedConfigsOptions['caches']): Input[] {
  return [
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: ({ object }) => [object.metadata.name],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) =>
        isRelevantChange(change, selectorOf) ? machineConfigs.list().map(nameOf) : [],
    }),
  ]
}

const nameOf = ({ metadata }: Readonly<MachineConfig>): string => metadata.name

const selectorOf = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
]
