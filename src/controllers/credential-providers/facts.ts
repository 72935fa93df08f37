import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { StoredConfigs } from '../generated/caches.ts'
import type { ProviderConfig } from './provider-file.ts'

/** The credential provider configuration that the templates of a pool render. */
export interface ProviderFile {
  readonly path: string
  readonly config: ProviderConfig
}

/** The base of a pool from its templates, or why it cannot be extended. */
export type ProviderBase =
  | { readonly file: ProviderFile | undefined }
  | { readonly waitsFor: string }
  /** The nodes do not have CRI-O's provider, and their kubelets would not start with it. */
  | { readonly unsupported: string }
  | { readonly unreadable: string }

/** Everything that determines the MachineConfigs of all pools. */
export interface CredentialProvidersFacts {
  /** Whether the API server no longer serves the kind, so that the object is unknown. */
  readonly isLost: boolean
  /** Object `cluster`, unless it is being deleted. */
  readonly object: Readonly<CRIOCredentialProviderConfig> | undefined
  /** By pool; empty without images. */
  readonly bases: ReadonlyMap<string, ProviderBase>
  /** The stored MachineConfigs with a name of this controller. */
  readonly stored: StoredConfigs
  readonly maker: Maker
}
