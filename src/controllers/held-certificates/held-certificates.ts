import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ConditionReport } from '../../api/conditions.ts'
import { certificatesHeld, conditionOf, setCondition } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import type { SharedCache } from '../render/caches.ts'
import type { HeldCertificatesFacts } from './decide.ts'
import { decide } from './decide.ts'

/** The informers may be shared with other controllers. */
export interface HeldCertificatesCaches {
  readonly pools: SharedCache<MachineConfigPool>
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly controllerConfigs: SharedCache<ControllerConfig>
}

export interface HeldCertificatesOptions {
  readonly client: KubeClient
  readonly caches: HeldCertificatesCaches
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
}

/** Reports certificates that a paused pool does not deliver to its nodes, and when the old ones expire. Keys are pool names. */
export function heldCertificatesController(options: HeldCertificatesOptions): Controller {
  const until = options.metrics.gauge({
    name: 'machine_config_controller_paused_pool_kubelet_ca',
    help: 'Expiry of the kubelet CA that a paused pool does not renew, in seconds since the epoch; 0 if none is held.',
    labels: ['pool'],
  })
  return {
    name: 'held-certificates',
    inputs: inputsOf(options.caches),
    outputs: ['MachineConfigPool'],
    async reconcile(name, { signal, log }) {
      const facts = gather(options, name)
      if (!facts) {
        until.forget({ pool: name })
        return settled
      }
      const { report, metric, requeueAfterMs } = decide(facts)
      until.set({ pool: name }, metric)
      if (report && changesCondition(facts, report))
        await reportHeld(facts, report, options, { signal, log })
      return requeueAfterMs === undefined ? settled : requeueAfter(requeueAfterMs)
    },
  }
}

function gather(
  { caches, clock }: HeldCertificatesOptions,
  name: string,
): HeldCertificatesFacts | undefined {
  const pool = caches.pools.get(name)
  if (!pool) return undefined
  const { spec, status } = pool
  const found = (config: string | undefined): Readonly<MachineConfig> | undefined =>
    config ? caches.machineConfigs.get(config) : undefined
  return {
    pool,
    delivery: deliveryOf(caches.controllerConfigs.get(names.controllerConfig)),
    current: found(status?.configuration?.name),
    desired: found(spec.configuration?.name),
    now: clock.now(),
  }
}

function deliveryOf(config: Readonly<ControllerConfig> | undefined): CertificateDelivery {
  const value = config?.metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return value === 'rendered' ? 'rendered' : 'direct'
}

function changesCondition({ pool, now }: HeldCertificatesFacts, report: ConditionReport): boolean {
  const before = pool.status?.conditions
  return setCondition(before, report, timestamp(now)) !== before
}

/** One write, which keeps the conditions of other controllers. */
async function reportHeld(
  facts: HeldCertificatesFacts,
  report: ConditionReport,
  { client, events }: HeldCertificatesOptions,
  { signal, log }: Pick<ReconcileContext, 'signal' | 'log'>,
): Promise<void> {
  const { pool, now } = facts
  const change = (current: MachineConfigPool): MachineConfigPool => {
    const conditions = setCondition(current.status?.conditions, report, timestamp(now))
    return { ...current, status: { ...current.status, conditions: [...conditions] } }
  }
  const key = { name: pool.metadata.name }
  try {
    await modify(client, machineConfigPools, key, change, { subresource: 'status', signal })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  const before = conditionOf(pool.status?.conditions, certificatesHeld)
  if (before?.status === report.status && before.reason === report.reason) return
  log.info('reported certificates of a paused pool', { status: report.status, why: report.reason })
  if (report.status !== 'True') return
  events.warning(referenceTo(machineConfigPools, pool), 'CertificatesHeld', report.message ?? '')
}

function inputsOf({ pools, machineConfigs, controllerConfigs }: HeldCertificatesCaches): Input[] {
  const all = (): string[] => pools.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) =>
        isRelevantChange(change, relevantPoolFields) ? [change.object.metadata.name] : [],
    }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      // The cache may have a pool before its rendered config.
      keys: ({ object: { metadata } }) =>
        metadata.name.startsWith(names.renderedPrefix)
          ? pools
              .list()
              .filter((pool) => configsOf(pool).includes(metadata.name))
              .map((pool) => pool.metadata.name)
          : [],
    }),
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isRelevantChange(change, deliveryOf) ? all() : []),
    }),
  ]
}

const configsOf = ({ spec, status }: Readonly<MachineConfigPool>): (string | undefined)[] => [
  status?.configuration?.name,
  spec.configuration?.name,
]

const relevantPoolFields = (pool: Readonly<MachineConfigPool>): unknown => [
  pool.spec.paused === true,
  configsOf(pool),
  conditionOf(pool.status?.conditions, certificatesHeld),
]
