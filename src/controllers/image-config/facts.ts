import type { OwnerReference, Resource } from '@machinist/core/objects/resource'
import type { Image } from '../../api/openshift-config.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { StoredConfigs } from '../generated/caches.ts'
import type { BaseFiles, ImageObjects } from './node-files.ts'

/** Image `cluster`, and the owner reference for the MachineConfigs that are generated from it. */
export interface OwningImage {
  readonly image: Readonly<Image>
  readonly owner?: OwnerReference
}

/** The files that the templates rendered for a pool; or what the pool waits for; or why they are unusable. */
export type PoolBase =
  { readonly files: BaseFiles } | { readonly waitsFor: string } | { readonly unreadable: string }

/** Everything that determines the MachineConfigs of all pools. */
export interface ImageConfigFacts {
  /** Undefined if the cluster has no image settings. */
  readonly image: OwningImage | undefined
  /** Undefined if a required object is missing. */
  readonly objects: ImageObjects | undefined
  /** Kinds that were served before and are not any more: their objects are unknown. */
  readonly lost: readonly Resource[]
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** The pools that get a MachineConfig, with their base; custom pools select the MachineConfig of the worker pool. */
  readonly bases: ReadonlyMap<Readonly<MachineConfigPool>, PoolBase>
  /** The stored MachineConfigs with a name of this controller, current or old. */
  readonly stored: StoredConfigs
  readonly maker: Maker
}
