import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { kubeletConfigs } from '../resources.ts'
import { kind } from '../schema/kind.ts'
import { nodeSettingsColumns } from './node-settings-columns.ts'
import {
  anything,
  array,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  string,
} from '../schema/schema.ts'
import { labelSelector, looseConditions } from '../schema/shapes.ts'

const cipherGroup = oneOf('A key exchange group.', [
  'X25519',
  'secp256r1',
  'secp384r1',
  'secp521r1',
  'X25519MLKEM768',
  'SecP256r1MLKEM768',
  'SecP384r1MLKEM1024',
])

const customTls = object('Your own choice; read when type is Custom.', {
  ciphers: array('Cipher suites, by their OpenSSL names.', string('A cipher suite.')),
  minTLSVersion: oneOf('The oldest TLS version to accept.', [
    'VersionTLS10',
    'VersionTLS11',
    'VersionTLS12',
    'VersionTLS13',
  ]),
  groups: array('Key exchange groups.', cipherGroup, { set: true, minItems: 1, maxItems: 7 }),
})

const tlsSecurityProfile = object('How strict the kubelet is about TLS.', {
  type: oneOf('Old, Intermediate, Modern, or Custom with a choice of your own.', [
    'Old',
    'Intermediate',
    'Modern',
    'Custom',
  ]),
  old: nullable(object('No settings.', {})),
  intermediate: nullable(object('No settings.', {})),
  modern: nullable(object('No settings.', {})),
  custom: nullable(customTls),
})

const spec = object('What the kubelets of some pools shall do.', {
  machineConfigPoolSelector: labelSelector(
    'Selects pools by their labels. Without it the object applies to none.',
  ),
  kubeletConfig: anything('Any part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1).'),
  logLevel: integer('How much the kubelet logs, 0 to 10.', { minimum: 0, maximum: 10 }),
  autoSizingReserved: boolean('Whether each node works out what to reserve for the system.'),
  tlsSecurityProfile,
  systemGomaxprocsBehavior: oneOf(
    'Whether system services get a GOMAXPROCS that fits. It is kept and changes nothing.',
    ['Autosize', 'Disabled'],
  ),
})

const status = object('What became of it.', {
  observedGeneration: integer('The generation of the spec that this tells about.', {
    format: 'int64',
  }),
  conditions: looseConditions(),
})

export interface KubeletConfigSpec extends TypeOf<typeof spec> {}
export interface KubeletConfigStatus extends TypeOf<typeof status> {}
export interface TlsSecurityProfile extends TypeOf<typeof tlsSecurityProfile> {}

export interface KubeletConfig extends KubeObject {
  spec: KubeletConfigSpec
  status?: KubeletConfigStatus
}

export const kubeletConfigKind = kind(
  kubeletConfigs,
  'Settings for the kubelet on the nodes of some pools.',
  { columns: nodeSettingsColumns, spec, status },
)
