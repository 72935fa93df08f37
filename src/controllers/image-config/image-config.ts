import { annotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { InvalidInput, Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused } from '@machinist/kube/failure'
import type { Maker } from '../../fleet/render/maker.ts'
import { adoptLeftovers, storeForPool, machineConfigName } from './act.ts'
import type { ImageConfigPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { OwningImage } from './gather.ts'
import {
  readBaseFiles,
  findOwningImage,
  builtInPools,
  gatherImageObjects,
  unservedKindProblem,
  requeueAfterMs,
  containerdProblems,
} from './gather.ts'
import type { ImageConfigCaches } from './inputs.ts'
import { inputsOf } from './inputs.ts'
import { reportOverruled } from './overruled-policies.ts'
import type { Problem } from './model/problem.ts'
import type { ImageSettings } from './node-files.ts'
import { readImageSettings } from './node-files.ts'
import { FailingObjects, reportProblems } from './report.ts'

export interface ImageConfigOptions {
  readonly client: KubeClient
  readonly caches: ImageConfigCaches
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/**
 * Image, mirror sets and image policies → `99-<pool>-generated-registries` of the built-in pools; custom pools select the one
 * of the worker pool. The only key is the name of Image `cluster`.
 */
export function imageConfigController(options: ImageConfigOptions): Controller {
  const failing = new FailingObjects(options.metrics)
  return {
    name: 'image-config',
    inputs: inputsOf(options.caches, names.clusterConfig),
    outputs: ['MachineConfig', 'MachineConfigPool', 'ImagePolicy'],
    async reconcile(_key, context) {
      const adoption = await adoptLeftoverConfigs(options, context)
      const outcome = await reconcile(context, options, failing)
      return adoption === 'refused' && outcome === settled ? requeueAfter(requeueAfterMs) : outcome
    },
  }
}

async function reconcile(
  { log, signal }: ReconcileContext,
  options: ImageConfigOptions,
  failing: FailingObjects,
): Promise<Outcome> {
  const { caches, client, events } = options
  const facts = gatherFacts(caches)
  const { plans, waiting, failed } = await storePools(facts, options, signal)
  const problems = [...plans.values()].flatMap((plan) => plan.problems)
  failing.report(facts.image && [...(facts.settings?.problems ?? []), ...problems])
  await reportProblems(plans, { client, events, signal })
  for (const message of new Set(problems.map((problem) => problem.message))) {
    log.info('cannot apply all image settings of the cluster', { why: message })
  }
  const reporting = await reportPolicies(facts, options, { log, signal })
  if (failed.length > 0) throw failed[0]
  if (waiting.length > 0) throw new Waiting(reasons.noBase, waiting.join('; '), requeueAfterMs)
  const hasRefusedWrite =
    reporting === 'refused' || problems.some(({ reason }) => reason === reasons.refused)
  return hasRefusedWrite || facts.lost.length > 0 ? requeueAfter(requeueAfterMs) : settled
}

interface ImageConfigFacts {
  /** Undefined if the cluster has no image settings. */
  readonly image: OwningImage | undefined
  /** Undefined if a required object is missing. */
  readonly settings: ImageSettings | undefined
  readonly lost: readonly Problem[]
}

function gatherFacts({
  imageSources: sources,
  controllerConfigs,
}: ImageConfigCaches): ImageConfigFacts {
  const lost = sources.lost().map(unservedKindProblem)
  const image = findOwningImage(sources)
  const objects = image && gatherImageObjects(sources, image.image)
  if (!objects) return { image, settings: undefined, lost }
  const ignored = containerdProblems(objects, controllerConfigs.get(names.controllerConfig))
  return { image, settings: readImageSettings(objects, [...lost, ...ignored]), lost }
}

interface StoredPools {
  readonly plans: ReadonlyMap<Readonly<MachineConfigPool>, ImageConfigPlan>
  readonly waiting: readonly string[]
  readonly failed: readonly unknown[]
}

/** A pool that fails does not block the others. */
async function storePools(
  facts: ImageConfigFacts,
  options: ImageConfigOptions,
  signal: AbortSignal,
): Promise<StoredPools> {
  const plans = new Map<Readonly<MachineConfigPool>, ImageConfigPlan>()
  const waiting: string[] = []
  const failed: unknown[] = []
  for (const pool of builtInPools(options.caches.pools)) {
    try {
      const plan = await storePool(pool, facts, options, signal)
      if ('waitsFor' in plan) waiting.push(plan.waitsFor)
      else plans.set(pool, plan)
    } catch (error) {
      failed.push(error)
    }
  }
  return { plans, waiting, failed }
}

async function storePool(
  pool: Readonly<MachineConfigPool>,
  facts: ImageConfigFacts,
  { client, caches, maker }: ImageConfigOptions,
  signal: AbortSignal,
): Promise<ImageConfigPlan | { readonly waitsFor: string }> {
  const plan = planFor(pool, facts, { caches, maker })
  const { image } = facts
  if ('waitsFor' in plan || !plan.spec || !image) return plan
  const { machineConfigs } = caches
  const problem = await storeForPool(pool, plan.spec, image, {
    client,
    signal,
    machineConfigs,
    maker,
  })
  return problem ? { ...plan, problems: [problem, ...plan.problems] } : plan
}

function planFor(
  pool: Readonly<MachineConfigPool>,
  { settings, lost }: ImageConfigFacts,
  { caches, maker }: Pick<ImageConfigOptions, 'caches' | 'maker'>,
): ImageConfigPlan | { readonly waitsFor: string } {
  const stored = caches.machineConfigs.get(machineConfigName(pool.metadata.name))
  if (!settings) return { spec: stored?.spec, problems: lost }
  try {
    return decide(settings, readBaseFiles(pool, caches, maker), stored)
  } catch (error) {
    if (error instanceof Waiting) return { waitsFor: error.message }
    if (!(error instanceof InvalidInput)) throw error
    const problem: Problem = { reason: reasons.noBase, effect: 'held', message: error.message }
    return { spec: stored?.spec, problems: [problem, ...settings.problems] }
  }
}

/** Takes over MachineConfigs that this controller no longer generates. */
async function adoptLeftoverConfigs(
  { client, caches, maker }: ImageConfigOptions,
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<'adopted' | 'refused'> {
  const { machineConfigs, controllerConfigs } = caches
  const config = controllerConfigs.get(names.controllerConfig)
  const version = config?.metadata.annotations?.[annotations.generatedByVersion]
  // While another version is the operator, its controller owns them.
  if (version !== maker.version) return 'adopted'
  const pools = findOwningImage(caches.imageSources) ? builtInPools(caches.pools) : []
  const generated = new Set(pools.map(({ metadata }) => machineConfigName(metadata.name)))
  const problems = await adoptLeftovers(generated, { client, signal, machineConfigs, maker })
  for (const { message } of problems) log.info('cannot adopt a MachineConfig', { why: message })
  return problems.some(({ why }) => why === 'refused') ? 'refused' : 'adopted'
}

/** A rejected status write must not block the rest of the reconcile. */
async function reportPolicies(
  { settings }: ImageConfigFacts,
  { client }: ImageConfigOptions,
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<'reported' | 'refused'> {
  try {
    for (const overruled of settings?.signatures.overruled ?? []) {
      await reportOverruled(overruled, client, signal)
    }
    return 'reported'
  } catch (error) {
    if (!isRefused(error)) throw error
    log.error('cannot set the Pending condition of an ImagePolicy', error)
    return 'refused'
  }
}
