import { machineConfigEvents } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { machineConfigs } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { contentDigest } from '@machinist/core/digest'
import { referenceTo } from '@machinist/core/resource'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { RenderCaches } from '../render/caches.ts'
import { whyUnselected } from './decide.ts'

export interface UnselectedConfigsOptions {
  readonly caches: Pick<RenderCaches, 'machineConfigs' | 'pools'>
  readonly events: EventRecorder
  readonly clock: Clock
}

/** What is applied together may come in any order: a pool may follow its MachineConfigs. */
const patienceMs = 5000

/** Reports MachineConfigs that no pool selects: they have no status to say it in. The key is the MachineConfig's name. */
export function unselectedConfigsController(options: UnselectedConfigsOptions): Controller {
  const { caches, events, clock } = options
  /** By name: which contents no pool selects, since when, and whether an event says so. */
  const seen = new Map<string, { digest: string; since: number; isReported: boolean }>()
  const reconcile = async (name: string): Promise<Outcome> => {
    const found = caches.machineConfigs.get(name)
    const why = found && whyUnselected(found, caches.pools.list())
    if (why === undefined) {
      seen.delete(name)
      return settled
    }
    const { uid, labels } = found!.metadata
    const digest = contentDigest([uid, labels, found!.spec])
    const known = seen.get(name)
    const entry =
      known?.digest === digest ? known : { digest, since: clock.elapsed(), isReported: false }
    seen.set(name, entry)
    if (entry.isReported) return settled
    const waitMs = entry.since + patienceMs - clock.elapsed()
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
      keys: (change) => (isNews(change, selectorOf) ? machineConfigs.list().map(nameOf) : []),
    }),
  ]
}

const nameOf = ({ metadata }: Readonly<MachineConfig>): string => metadata.name

const selectorOf = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
]
