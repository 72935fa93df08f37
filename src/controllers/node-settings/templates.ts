import { annotations } from '../../api/annotations.ts'
import { names, pools as builtIn } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Change } from '@machinist/kube/informer/change'
import { madeFromTemplates } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { Cache } from '../render/caches.ts'
import { unseenTemplate } from '../render/stored-templates.ts'
import { saidOfTemplates, templateState } from '../render/template-state.ts'
import type { PoolSettings } from './settings-kind.ts'

/* What settings are built on: the MachineConfigs that the templates make. */

export interface TemplateCaches {
  /** With `machineConfigIndexes` of generated/caches.ts. */
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
}

export interface TemplateOptions {
  readonly caches: TemplateCaches
  readonly maker: Maker
}

/** The MachineConfig of that name which the templates of a pool made; or what has to be done first. */
export function baseOf(
  settings: PoolSettings,
  name: string,
  options: TemplateOptions,
): { readonly base: Readonly<MachineConfig> } | { readonly waits: string } {
  const waits = templatesWaitFor(settings, options)
  if (waits !== undefined) return { waits }
  const base = options.caches.machineConfigs.get(name)
  return base
    ? { base }
    : { waits: `MachineConfig ${name}, which the templates of ${settings.role} make` }
}

/** What has to be done first, so that nobody builds on templates of yesterday. */
export function templatesWaitFor(
  { pool, role }: PoolSettings,
  { caches, maker }: TemplateOptions,
): string | undefined {
  const what = `ControllerConfig ${names.controllerConfig}`
  const config = caches.controllerConfigs.get(names.controllerConfig)
  if (!config) return `${what}, which the operator makes`
  const version = config.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  if (version !== maker.version) return `${what} of version ${maker.version}`
  const { isDone, failing, obstacle } = templateState(config, pool)
  const why = failing?.message || obstacle
  if (!isDone) return `the templates of ${role}${why ? `: ${why}` : ''}`
  const unseen = unseenTemplate(config, pool, madeFromTemplates(caches.machineConfigs))
  return unseen === undefined ? undefined : `MachineConfig ${unseen}`
}

/** Whatever templates make wakes all keys, and so does what has the name of a base, and what counts besides. */
export function templateInputs(
  { machineConfigs, controllerConfigs }: TemplateCaches,
  base: (role: string) => string,
  counts: (machineConfig: Readonly<MachineConfig>) => boolean,
  all: () => Iterable<string>,
): Input[] {
  const bases = new Set(Object.values(builtIn).map(base))
  const isOfInterest = (one: Readonly<MachineConfig>): boolean =>
    bases.has(one.metadata.name) || owningControllerConfig(one) !== undefined || counts(one)
  return [
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isNews(change, saidOfTemplates) ? all() : []),
    }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: (change) => (versionsOf(change).some(isOfInterest) ? all() : []),
    }),
  ]
}

const versionsOf = <T extends KubeObject>(change: Change<T>): Readonly<T>[] =>
  change.type === 'updated' ? [change.before, change.object] : [change.object]
