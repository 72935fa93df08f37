import { conditionOf, kubeletDefaultsDegraded } from '../../api/conditions.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { InvalidInput, Waiting } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Maker } from '../../fleet/render/maker.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { baseOf, templateInputs } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import { isBuiltIn, isReachedByRole, storeLayers, removeLayers } from './act.ts'
import type { KubeletDefaults } from './decide.ts'
import { kubeletDefaults } from './decide.ts'
import type { DefaultsCaches } from './gather.ts'
import { gatherDefaults, isLayer, kubeletBase, lostKindsOf } from './gather.ts'
import { clusterInputs } from './inputs.ts'
import { reportDefaults, problemsToReport } from './report.ts'

export interface KubeletDefaultsCaches extends DefaultsCaches {
  readonly pools: SharedCache<MachineConfigPool>
}

export interface KubeletDefaultsOptions {
  readonly client: KubeClient
  readonly caches: KubeletDefaultsCaches
  readonly events: EventRecorder
  readonly maker: Maker
}

/** Requeue interval for causes that no watch event announces, such as a rejected write. */
const requeueAfterMs = 60_000

/** Cluster-wide kubelet settings → `97-` and `98-<pool>-generated-kubelet`. The key is the name of the pool. */
export function kubeletDefaultsController(options: KubeletDefaultsOptions): Controller {
  return {
    name: 'kubelet-defaults',
    inputs: inputsOf(options.caches),
    outputs: ['MachineConfig', 'MachineConfigPool'],
    reconcile: (name, context) => reconcile(name, context, options),
  }
}

async function reconcile(
  name: string,
  { log, signal }: ReconcileContext,
  given: KubeletDefaultsOptions,
): Promise<Outcome> {
  const pool = given.caches.pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) return settled
  const settings = poolSettings(pool)
  const options = { ...given, signal }
  if (isReachedByRole(settings, given.caches.pools)) {
    await removeLayers(settings, options)
    await reportDefaults(pool, [], options)
    return settled
  }
  const defaults = defaultsFor(settings, given)
  const refused = 'unreadable' in defaults ? [] : await storeLayers(settings, defaults, options)
  const problems = problemsToReport(defaults, refused)
  await reportDefaults(pool, problems, options)
  for (const { message } of problems) log.info('cannot apply kubelet defaults', { why: message })
  const isUnwatched =
    refused.some(({ why }) => why === 'refused') || lostKindsOf(given.caches).size > 0
  return isUnwatched ? requeueAfter(requeueAfterMs) : settled
}

function defaultsFor(
  settings: PoolSettings,
  { caches, maker }: KubeletDefaultsOptions,
): KubeletDefaults | { readonly unreadable: string } {
  const found = baseOf(settings, kubeletBase(settings.role), { caches, maker })
  if ('waitsFor' in found) {
    throw new Waiting(clusterSettingsReasons.noBase, `waits for ${found.waitsFor}`, requeueAfterMs)
  }
  try {
    return kubeletDefaults(gatherDefaults(settings.role, found.base, caches))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { unreadable: error.message }
  }
}

function inputsOf(caches: KubeletDefaultsCaches): Input[] {
  const { pools } = caches
  const all = (): string[] => pools.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => {
        if (!isRelevantChange(change, relevantPool)) return []
        const { name } = change.object.metadata
        // Custom pools depend on whether the built-in pool exists.
        const comesOrGoes = isBuiltIn(name) && isRelevantChange(change, deletionOf)
        return comesOrGoes ? [name, ...all()] : [name]
      },
    }),
    ...templateInputs(caches, kubeletBase, ({ metadata }) => isLayer(metadata.name), all),
    ...clusterInputs(caches, all),
  ]
}

const relevantPool = ({ metadata, spec, status }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
  conditionOf(status?.conditions, kubeletDefaultsDegraded),
]

const deletionOf = ({ metadata }: Readonly<MachineConfigPool>): unknown =>
  metadata.deletionTimestamp
