import type { Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { SharedCache } from '../render/caches.ts'

/** An object with settings for the nodes of the pools that it selects. */
export type NodeSettings = KubeletConfig | ContainerRuntimeConfig

/** A pool with the properties that settings depend on. */
export interface PoolSettings {
  readonly name: string
  readonly pool: MachineConfigPool
  /** The built-in role whose templates its nodes use: master, arbiter, or worker. */
  readonly role: string
  readonly isControlPlane: boolean
}

/** Why an object, or the merge of several, is unusable in a pool. */
export interface SettingsProblem {
  /** One of `nodeSettingsReasons`. */
  readonly reason: string
  /** The problem and what to do; the caller adds the pool. */
  readonly message: string
}

/** The result of merging objects. */
export type MergeResult =
  { readonly spec: MachineConfigSpec } | { readonly problem: SettingsProblem }

/** Everything that differs between the kinds of settings. */
export interface SettingsKind<T extends NodeSettings, Context> {
  /** The name of its controller: `kubelet-config`, `runtime-config`. */
  readonly controller: string
  readonly resource: Resource<T>
  readonly objects: SharedCache<T>
  /** The name in MCO's message about too many objects: `kubelet config`, `containerruntime config`. */
  readonly noun: string
  /** `generated-kubelet`: the MachineConfigs are named `99-<pool>-<part>`, with `-<suffix>` from the second object on. */
  readonly part: string
  /** `kubelet`: MachineConfigs of old releases, named `99-<pool>-<uid of the pool>-<part>`, are replaced. */
  readonly deprecatedPart: string
  /** Whether conditions keep a history of `Accepted`, as in KubeletConfigs. */
  readonly reportsAccepted: boolean
  /** The name of the MachineConfig of the templates whose files the settings change; required. */
  base(role: string): string
  /** Additional watches that enqueue all objects. */
  inputs(allObjects: () => Iterable<string>): readonly Input[]
  /** Gathers the facts that the merge needs beside the objects: base files, feature gates, a TLS profile. */
  context(pool: PoolSettings, base: Readonly<MachineConfig>): Context
  /** Pure. All problems of one object in one pool; each message names the field. */
  problems(object: Readonly<T>, pool: PoolSettings): readonly string[]
  /**
   * Pure. Merges objects in order; later objects win. It is called with one more object each time, so the last object is the
   * cause of a problem.
   */
  merge(objects: readonly Readonly<T>[], pool: PoolSettings, context: Context): MergeResult
  /** Pure. The fields that an object sets, as dotted path → JSON text, to find overridden fields. */
  fields(object: Readonly<T>): ReadonlyMap<string, string>
  /** Pure. Fields without effect; each message names the field and what applies instead. */
  ineffective(object: Readonly<T>): readonly string[]
}
