import { conditionOf, kubeletDefaultsDegraded } from '../../api/conditions.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput, Waiting } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Maker } from '../../fleet/render/maker.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { baseOf, templateInputs } from '../node-settings/templates.ts'
import type { Cache } from '../render/caches.ts'
import { isBuiltIn, isReachedByRole, keepLayers, removeLayers } from './act.ts'
import type { KubeletDefaults } from './decide.ts'
import { kubeletDefaults } from './decide.ts'
import type { DefaultsCaches } from './gather.ts'
import { gather, isLayer, kubeletBase, lostOf } from './gather.ts'
import { clusterInputs } from './inputs.ts'
import { tell, troublesOf } from './tell.ts'

export interface KubeletDefaultsCaches extends DefaultsCaches {
  readonly pools: Cache<MachineConfigPool>
}

export interface KubeletDefaultsOptions {
  readonly client: KubeClient
  readonly caches: KubeletDefaultsCaches
  readonly events: EventRecorder
  readonly maker: Maker
}

/** What nobody tells of is looked at this often: what the server refuses. */
const unfollowedMs = 60_000

/** What the cluster says about all kubelets → `97-` and `98-<pool>-generated-kubelet`. The key is the pool's name. */
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
    await tell(pool, [], options)
    return settled
  }
  const defaults = defaultsFor(settings, given)
  const refused = 'unreadable' in defaults ? [] : await keepLayers(settings, defaults, options)
  const troubles = troublesOf(defaults, refused)
  await tell(pool, troubles, options)
  for (const { message } of troubles) log.info('kubelet defaults cannot be used', { why: message })
  const isUnfollowed = refused.some(({ why }) => why === 'refused') || lostOf(given.caches).size > 0
  return isUnfollowed ? requeueAfter(unfollowedMs) : settled
}

function defaultsFor(
  settings: PoolSettings,
  { caches, maker }: KubeletDefaultsOptions,
): KubeletDefaults | { readonly unreadable: string } {
  const found = baseOf(settings, kubeletBase(settings.role), { caches, maker })
  if ('waits' in found) {
    throw new Waiting(clusterSettingsReasons.noBase, `waits for ${found.waits}`, unfollowedMs)
  }
  try {
    return kubeletDefaults(gather(settings.role, found.base, caches))
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
        if (!isNews(change, ofPool)) return []
        const { name } = change.object.metadata
        // Others count on it to be there.
        const comesOrGoes = isBuiltIn(name) && isNews(change, isLeaving)
        return comesOrGoes ? [name, ...all()] : [name]
      },
    }),
    ...templateInputs(caches, kubeletBase, ({ metadata }) => isLayer(metadata.name), all),
    ...clusterInputs(caches, all),
  ]
}

const ofPool = ({ metadata, spec, status }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
  conditionOf(status?.conditions, kubeletDefaultsDegraded),
]

const isLeaving = ({ metadata }: Readonly<MachineConfigPool>): unknown => metadata.deletionTimestamp
