import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { ageColumn, conditionColumn, kind, textColumn, wide } from '../schema/kind.ts'
import { array, boolean, integer, object, oneOf, string, timestamp } from '../schema/schema.ts'
import { conditions, objectReference } from '../schema/shapes.ts'
import { certificateDeliveries } from '../trust/items.ts'
import { nodeTrusts } from './resources.ts'

const certificate = object(
  'A certificate in the item.',
  {
    fingerprint: string(
      'SHA-256 fingerprint of the certificate, in lower-case hexadecimal digits.',
    ),
    subject: string('Subject of the certificate.'),
    notAfter: timestamp('End of the validity period.'),
    loaded: boolean(
      'False if the program that reads the item runs without the certificate, for instance a kubelet that must restart. Absent if it is loaded or not known.',
    ),
  },
  { required: ['fingerprint', 'subject', 'notAfter'] },
)

const item = object(
  'A trust item: a CA bundle or a pull secret that the trust lane delivers to the node.',
  {
    name: string(
      'Name of the item: kubelet-client-ca, cloud-ca, registry-ca/<host>, registry-pull-secret or api-server-ca.',
    ),
    state: oneOf(
      'Current: the file has the desired content. Lagging: it does not yet. Failed: it could not be written. Rendered: MachineConfigs deliver it. NotGiven: the cluster does not provide it.',
      ['Current', 'Lagging', 'Failed', 'Rendered', 'NotGiven'],
    ),
    message: string('Human-readable explanation of a state other than Current.', {
      maxLength: 2048,
    }),
    paths: array('Files that hold the item.', string('Path on the node.')),
    wantedDigest: string('Digest of the desired content.'),
    actualDigest: string('Digest of the content on disk.'),
    certificates: array('Certificates in the item.', certificate, {
      maxItems: 1000,
    }),
    earliestNotAfter: timestamp('When the first certificate of the item expires.'),
    writtenAt: timestamp('When the daemon wrote the content, or first observed it.'),
    loadedAt: timestamp('When the program that reads the item loaded this content.'),
    source: objectReference('The object that provides the item.'),
  },
  { required: ['name', 'state'] },
)

const status = object('Observed state of the node.', {
  delivery: oneOf(
    'How certificates are delivered to the node. direct: through the trust lane. rendered: in MachineConfigs.',
    certificateDeliveries,
  ),
  observedResourceVersion: string(
    'The resourceVersion of the ControllerConfig that this status describes.',
  ),
  observedGeneration: integer(
    'The generation of the ControllerConfig that this status describes.',
    { format: 'int64' },
  ),
  items: array('The trust items of the node.', item, { keys: ['name'] }),
  earliestNotAfter: timestamp('When the first certificate of all items expires.'),
  kubeletRestart: object('Request for a turn to restart the kubelet. The daemon sets it.', {
    requestedAt: timestamp('When the node requested the turn.'),
    startedAt: timestamp('When the node started to use the granted turn.'),
  }),
  conditions: conditions({ maxItems: 16 }),
})

const spec = object('Permissions that the operator grants to the node.', {
  kubeletRestart: object('Turn to restart the kubelet. The operator sets it.', {
    grantedAt: timestamp(
      'When the turn was granted. The node holds the turn while this field is set.',
    ),
    withdrawnAt: timestamp(
      'When the last turn was withdrawn because the node did not finish in time.',
    ),
  }),
})

export interface TrustedCertificate extends TypeOf<typeof certificate> {}
export interface NodeTrustItem extends TypeOf<typeof item> {}
export interface NodeTrustStatus extends TypeOf<typeof status> {}
export interface NodeTrustSpec extends TypeOf<typeof spec> {}

export interface NodeTrust extends KubeObject {
  spec?: NodeTrustSpec
  status?: NodeTrustStatus
}

export const nodeTrustKind = kind(
  nodeTrusts,
  'NodeTrust reports the CA bundles and pull secrets on the disk of a node. Its name is the name of the Node.',
  {
    shortNames: ['nt'],
    columns: [
      conditionColumn('Current'),
      textColumn('Expires', '.status.earliestNotAfter'),
      textColumn('Delivery', '.status.delivery'),
      wide(textColumn('Message', '.status.conditions[?(@.type=="Current")].message')),
      ageColumn,
    ],
    spec,
    status,
    specRequired: false,
  },
)
