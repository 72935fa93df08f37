import { annotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput, Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused } from '@machinist/kube/failure'
import type { Maker } from '../../fleet/render/maker.ts'
import { adopt, keep, machineConfigName } from './act.ts'
import type { PoolPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { Beginning } from './gather.ts'
import {
  baseFilesOf,
  beginningIn,
  builtInPools,
  gatherWord,
  lostProblem,
  unfollowedMs,
  unreadProblems,
} from './gather.ts'
import type { ImageConfigCaches } from './inputs.ts'
import { inputsOf } from './inputs.ts'
import { tellOverruled } from './overruled-policies.ts'
import type { Problem } from './problem.ts'
import type { Understood } from './settle.ts'
import { understand } from './settle.ts'
import { FailingObjects, tell } from './tell.ts'

export interface ImageConfigOptions {
  readonly client: KubeClient
  readonly caches: ImageConfigCaches
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/**
 * What the cluster says about images → `99-<pool>-generated-registries` of the built-in pools; others get it through the
 * pool of workers. There is one key, named like the Image that all begins with.
 */
export function imageConfigController(options: ImageConfigOptions): Controller {
  const failing = new FailingObjects(options.metrics)
  return {
    name: 'image-config',
    inputs: inputsOf(options.caches, names.clusterConfig),
    outputs: ['MachineConfig', 'MachineConfigPool', 'ImagePolicy'],
    async reconcile(_key, context) {
      const left = await adoptLeft(options, context)
      const outcome = await reconcile(context, options, failing)
      return left === 'refused' && outcome === settled ? requeueAfter(unfollowedMs) : outcome
    },
  }
}

async function reconcile(
  { log, signal }: ReconcileContext,
  options: ImageConfigOptions,
  failing: FailingObjects,
): Promise<Outcome> {
  const { caches, client, events } = options
  const said = whatIsSaid(caches)
  const { plans, waits, failed } = await keepPools(said, options, signal)
  const problems = [...plans.values()].flatMap((plan) => plan.problems)
  failing.show(said.beginning && [...(said.understood?.problems ?? []), ...problems])
  await tell(plans, { client, events, signal })
  for (const message of new Set(problems.map((problem) => problem.message))) {
    log.info('what the cluster says about images cannot all be done', { why: message })
  }
  const told = await tellPolicies(said, options, { log, signal })
  if (failed.length > 0) throw failed[0]
  if (waits.length > 0) throw new Waiting(reasons.noBase, waits.join('; '), unfollowedMs)
  const isRefusedSome =
    told === 'refused' || problems.some(({ reason }) => reason === reasons.refused)
  return isRefusedSome || said.lost.length > 0 ? requeueAfter(unfollowedMs) : settled
}

interface Said {
  /** Undefined where nobody says anything. */
  readonly beginning: Beginning | undefined
  /** Undefined where not all is there that it takes. */
  readonly understood: Understood | undefined
  readonly lost: readonly Problem[]
}

function whatIsSaid({ imageSources: sources, controllerConfigs }: ImageConfigCaches): Said {
  const lost = sources.lost().map(lostProblem)
  const beginning = beginningIn(sources)
  const word = beginning && gatherWord(sources, beginning.image)
  if (!word) return { beginning, understood: undefined, lost }
  const unread = unreadProblems(word, controllerConfigs.get(names.controllerConfig))
  return { beginning, understood: understand(word, [...lost, ...unread]), lost }
}

interface Kept {
  readonly plans: ReadonlyMap<Readonly<MachineConfigPool>, PoolPlan>
  readonly waits: readonly string[]
  readonly failed: readonly unknown[]
}

/** One pool that cannot be served does not hold up the others. */
async function keepPools(
  said: Said,
  options: ImageConfigOptions,
  signal: AbortSignal,
): Promise<Kept> {
  const plans = new Map<Readonly<MachineConfigPool>, PoolPlan>()
  const waits: string[] = []
  const failed: unknown[] = []
  for (const pool of builtInPools(options.caches.pools)) {
    try {
      const plan = await keepPool(pool, said, options, signal)
      if ('waits' in plan) waits.push(plan.waits)
      else plans.set(pool, plan)
    } catch (error) {
      failed.push(error)
    }
  }
  return { plans, waits, failed }
}

async function keepPool(
  pool: Readonly<MachineConfigPool>,
  said: Said,
  { client, caches, maker }: ImageConfigOptions,
  signal: AbortSignal,
): Promise<PoolPlan | { readonly waits: string }> {
  const plan = planFor(pool, said, { caches, maker })
  const { beginning } = said
  if ('waits' in plan || !plan.spec || !beginning) return plan
  const { machineConfigs } = caches
  const problem = await keep(pool, plan.spec, beginning, { client, signal, machineConfigs, maker })
  return problem ? { ...plan, problems: [problem, ...plan.problems] } : plan
}

function planFor(
  pool: Readonly<MachineConfigPool>,
  { understood, lost }: Said,
  { caches, maker }: Pick<ImageConfigOptions, 'caches' | 'maker'>,
): PoolPlan | { readonly waits: string } {
  const stored = caches.machineConfigs.get(machineConfigName(pool.metadata.name))
  if (!understood) return { spec: stored?.spec, problems: lost }
  try {
    return decide(understood, baseFilesOf(pool, caches, maker), stored)
  } catch (error) {
    if (error instanceof Waiting) return { waits: error.message }
    if (!(error instanceof InvalidInput)) throw error
    const problem: Problem = { reason: reasons.noBase, effect: 'held', message: error.message }
    return { spec: stored?.spec, problems: [problem, ...understood.problems] }
  }
}

/** Whatever is not made here any more. */
async function adoptLeft(
  { client, caches, maker }: ImageConfigOptions,
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<'adopted' | 'refused'> {
  const { machineConfigs, controllerConfigs } = caches
  const config = controllerConfigs.get(names.controllerConfig)
  const version = config?.metadata.annotations?.[annotations.generatedByVersion]
  // While another version is at work, it is theirs.
  if (version !== maker.version) return 'adopted'
  const pools = beginningIn(caches.imageSources) ? builtInPools(caches.pools) : []
  const made = new Set(pools.map(({ metadata }) => machineConfigName(metadata.name)))
  const problems = await adopt(made, { client, signal, machineConfigs, maker })
  for (const { message } of problems) log.info('cannot take over what is left', { why: message })
  return problems.some(({ why }) => why === 'refused') ? 'refused' : 'adopted'
}

/** That nobody may be told does not hold up what is to be done. */
async function tellPolicies(
  { understood }: Said,
  { client }: ImageConfigOptions,
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<'told' | 'refused'> {
  try {
    for (const one of understood?.signatures.overruled ?? []) {
      await tellOverruled(one, client, signal)
    }
    return 'told'
  } catch (error) {
    if (!isRefused(error)) throw error
    log.error('cannot tell an ImagePolicy that a ClusterImagePolicy overrules it', error)
    return 'refused'
  }
}
