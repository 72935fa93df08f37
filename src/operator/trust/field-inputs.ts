import type { DataSource } from '../../api/names.ts'
import { configMaps, namespaces, registryCAs, registryPuller, secrets } from '../../api/names.ts'
import { cloudCA } from './sources/cloud-ca.ts'
import { configServerCA } from './sources/config-server-ca.ts'
import type { TrustFacts, InputResult } from './facts/facts.ts'
import type { TrustField, TrustFields } from './facts/fields.ts'
import { kubeletClientCA } from './sources/kubelet-client-ca.ts'
import { managedRegistryCAs, userRegistryCAs } from './sources/registry-cas.ts'
import { registryPullSecret } from './sources/registry-pull-secret.ts'
import { trustBundle } from './sources/trust-bundle.ts'

/** An input: its sources, its check, and the field that it sets. */
interface TrustInput<Field extends TrustField> {
  readonly field: Field
  readonly from: readonly InputSource[]
  /** Reads and checks the input. */
  readonly read: (facts: TrustFacts) => InputResult<NonNullable<TrustFields[Field]>>
  /** Whether it has certificates, with an expiry. */
  readonly isBundle: boolean
}

/** The source objects of an input. Without a name: all objects of the namespace that another object may reference. */
export interface InputSource {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount'
  readonly namespace: string
  readonly name?: string
}

const configMap = ({ namespace, name }: Omit<DataSource, 'key'>): InputSource => ({
  kind: 'ConfigMap',
  namespace,
  name,
})
/** Proxy and Image reference ConfigMaps in this namespace. */
const referenced: InputSource = { kind: 'ConfigMap', namespace: namespaces.config }

const input = <Field extends TrustField>(one: TrustInput<Field>): TrustInput<Field> => one

/** The inputs by name, the most important first: if they do not all fit into one object, the last ones stay unchanged. */
export const fieldInputs = {
  'kubelet-client-ca': input({
    field: 'kubeAPIServerServingCAData',
    from: [
      configMap(configMaps.kubeletClientCA),
      configMap(configMaps.initialKubeletClientCA),
      configMap(configMaps.kubeletSignerBundle),
    ],
    read: kubeletClientCA,
    isBundle: true,
  }),
  'mcs-ca': input({
    field: 'rootCAData',
    from: [configMap(configMaps.serverCA), configMap(configMaps.rootCA)],
    read: configServerCA,
    isBundle: true,
  }),
  'cloud-ca': input({
    field: 'cloudProviderCAData',
    from: [configMap(configMaps.cloudCA)],
    read: cloudCA,
    isBundle: true,
  }),
  'pull-secret': input({
    field: 'internalRegistryPullSecret',
    from: [
      { kind: 'ServiceAccount', ...registryPuller },
      { kind: 'Secret', namespace: registryPuller.namespace },
      { kind: 'Secret', namespace: secrets.pullSecret.namespace, name: secrets.pullSecret.name },
    ],
    read: registryPullSecret,
    isBundle: false,
  }),
  'trust-bundle': input({
    field: 'additionalTrustBundle',
    from: [configMap(configMaps.userCA), referenced],
    read: trustBundle,
    isBundle: true,
  }),
  'registry-cas-managed': input({
    field: 'imageRegistryBundleData',
    from: [configMap(registryCAs.managed)],
    read: managedRegistryCAs,
    isBundle: true,
  }),
  'registry-cas-user': input({
    field: 'imageRegistryBundleUserData',
    from: [referenced],
    read: userRegistryCAs,
    isBundle: true,
  }),
} as const satisfies Record<string, TrustInput<TrustField>>

export type FieldInputName = keyof typeof fieldInputs

/** The input of ConfigMap kubeconfig-data, which has no field. */
export const apiServerInput = 'api-server-ca'

export type InputName = FieldInputName | typeof apiServerInput
