import type { DataSource } from '../../api/names.ts'
import { configMaps, namespaces, registryCAs, registryPuller, secrets } from '../../api/names.ts'
import { cloudCA } from './cloud-ca.ts'
import { configServerCA } from './config-server-ca.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import type { TrustField, TrustFields } from './fields.ts'
import { kubeletClientCA } from './kubelet-client-ca.ts'
import { managedRegistryCAs, userRegistryCAs } from './registry-cas.ts'
import { registryPullSecret } from './registry-pull-secret.ts'
import { trustBundle } from './trust-bundle.ts'

/** One thing that is handed on: where it comes from, what makes it good, which field it fills. */
interface TrustInput<Field extends TrustField> {
  readonly field: Field
  readonly from: readonly InputSource[]
  /** Takes what is there and tells whether nodes may be given it. */
  readonly read: (facts: TrustFacts) => Verdict<NonNullable<TrustFields[Field]>>
  /** Whether it is certificates, of which one can tell when they end. */
  readonly isBundle: boolean
}

/** Objects that an input is read from. Without a name: those that another object names. */
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
/** Whatever Proxy and Image name is in this namespace. */
const named: InputSource = { kind: 'ConfigMap', namespace: namespaces.config }

const input = <Field extends TrustField>(one: TrustInput<Field>): TrustInput<Field> => one

/** By name, the most important first: where not all of them fit into one object, the last ones give way. */
export const trustInputs = {
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
    from: [configMap(configMaps.userCA), named],
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
    from: [named],
    read: userRegistryCAs,
    isBundle: true,
  }),
} as const satisfies Record<string, TrustInput<TrustField>>

export type FieldInputName = keyof typeof trustInputs

/** The one that fills ConfigMap kubeconfig-data instead of a field. */
export const apiServerInput = 'api-server-ca'

export type InputName = FieldInputName | typeof apiServerInput
