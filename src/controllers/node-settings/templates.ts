import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Change } from '@machinist/kube/informer/change'
import { annotations } from '../../api/annotations.ts'
import { names, pools as builtIn } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { configsOfTemplates } from '../generated/caches.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { SharedCache } from '../render/caches.ts'
import { unseenTemplate } from '../render/stored-templates.ts'
import { relevantTemplateFields, templateState } from '../render/template-state.ts'
import type { PoolSettings } from './settings-kind.ts'

/* The MachineConfigs of the templates, which settings extend. */

export interface TemplateCaches {
  /** With `machineConfigIndexes` of generated/caches.ts. */
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly controllerConfigs: SharedCache<ControllerConfig>
}

export interface TemplateSources extends GeneratorSettings {
  readonly caches: TemplateCaches
}

/** The MachineConfig of that name from the templates of a pool; or what the pool waits for. */
export function baseOf(
  settings: PoolSettings,
  name: string,
  sources: TemplateSources,
): { readonly base: Readonly<MachineConfig> } | { readonly waitsFor: string } {
  const waitsFor = templatesWaitFor(settings, sources)
  if (waitsFor !== undefined) return { waitsFor }
  const base = sources.caches.machineConfigs.get(name)
  return base ? { base } : { waitsFor: `MachineConfig ${name} of the ${settings.role} templates` }
}

/** The next object that a pool waits for until its templates are current; undefined if they are. */
export function templatesWaitFor(
  { pool, role }: PoolSettings,
  { caches, maker }: TemplateSources,
): string | undefined {
  const what = `ControllerConfig ${names.controllerConfig}`
  const config = caches.controllerConfigs.get(names.controllerConfig)
  if (!config) return `${what}, which the operator creates`
  const version = config.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  if (version !== maker.version) return `${what} of version ${maker.version}`
  const { isDone, failing, obstacle } = templateState(config, pool)
  const detail = failing?.message || obstacle
  if (!isDone) return `the ${role} templates${detail ? `: ${detail}` : ''}`
  const unseen = unseenTemplate(config, pool, configsOfTemplates(caches.machineConfigs))
  return unseen === undefined ? undefined : `MachineConfig ${unseen}`
}

/** Watches that enqueue all keys for MachineConfigs of templates, for those with the name of a base, and for `isRelevant` ones. */
export function templateInputs(
  { machineConfigs, controllerConfigs }: TemplateCaches,
  base: (role: string) => string,
  isRelevant: (machineConfig: Readonly<MachineConfig>) => boolean,
  all: () => Iterable<string>,
): Input[] {
  const bases = new Set(Object.values(builtIn).map(base))
  const isWatched = (one: Readonly<MachineConfig>): boolean =>
    bases.has(one.metadata.name) || owningControllerConfig(one) !== undefined || isRelevant(one)
  return [
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isRelevantChange(change, relevantTemplateFields) ? all() : []),
    }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: (change) => (objectsOf(change).some(isWatched) ? all() : []),
    }),
  ]
}

const objectsOf = <T extends KubeObject>(change: Change<T>): Readonly<T>[] =>
  change.type === 'updated' ? [change.before, change.object] : [change.object]
