import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/resources.ts'
import type { Resource } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import type { Cache } from '../render/caches.ts'

/** An object that sets something on the nodes of the pools it selects. */
export type NodeSettings = KubeletConfig | ContainerRuntimeConfig

/** One pool, as settings see it. */
export interface PoolSettings {
  readonly name: string
  readonly pool: MachineConfigPool
  /** The built-in role whose templates its nodes have: master, arbiter, or worker. */
  readonly role: string
  readonly isControlPlane: boolean
}

/** Why an object, or what a chain of them comes to, cannot be used in a pool. */
export interface SettingsProblem {
  /** One of `nodeSettingsReasons`. */
  readonly reason: string
  /** What is wrong and what to do about it; the pool is named by whoever shows it. */
  readonly message: string
}

/** What a chain of objects comes to. */
export type Settlement =
  { readonly spec: MachineConfigSpec } | { readonly problem: SettingsProblem }

/** All that differs between the kinds of settings. Made with the caches that it reads. */
export interface SettingsKind<T extends NodeSettings, World> {
  /** The name of its controller: `kubelet-config`, `runtime-config`. */
  readonly controller: string
  readonly resource: Resource<T>
  readonly objects: Cache<T>
  /** How the original calls it where there are too many: `kubelet config`, `containerruntime config`. */
  readonly noun: string
  /** `generated-kubelet`: the MachineConfigs are named `99-<pool>-<part>`, with `-<suffix>` from the second object on. */
  readonly part: string
  /** `kubelet`: what old releases named `99-<pool>-<pool's uid>-<part>` is replaced. */
  readonly deprecatedPart: string
  /** Whether the conditions tell of the last three verdicts with `Accepted`, as KubeletConfigs do. */
  readonly tellsAccepted: boolean
  /** The MachineConfig of the templates which has the files that the settings change; without it nothing is made. */
  base(role: string): string
  /** What else wakes all objects, beside themselves, pools, ControllerConfig and MachineConfigs (of templates, and those made). */
  inputs(allObjects: () => Iterable<string>): readonly Input[]
  /** Gathers from caches what is needed beside the objects: base files, feature gates, a TLS profile. */
  world(pool: PoolSettings, base: Readonly<MachineConfig>): World
  /** Pure. What is wrong with one object in one pool, all of it, in sentences that name the field. */
  problems(object: Readonly<T>, pool: PoolSettings): readonly string[]
  /**
   * Pure. Objects in order, the last has the last word: what all of them together come to. It is called with one more
   * object each time, so a problem is one that the last of them brought.
   */
  settle(objects: readonly Readonly<T>[], pool: PoolSettings, world: World): Settlement
  /** Pure. The fields that an object sets, as dotted path → JSON text: to tell who overrides whom. */
  fields(object: Readonly<T>): ReadonlyMap<string, string>
  /** Pure. What an object sets and nobody reads, in sentences that name the field and say what holds instead. */
  idle(object: Readonly<T>): readonly string[]
}
