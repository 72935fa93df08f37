import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { nodeTrusts } from '../resources.ts'
import { ageColumn, conditionColumn, kind, textColumn, wide } from '../schema/kind.ts'
import { array, integer, object, oneOf, string, timestamp } from '../schema/schema.ts'
import { conditions, objectReference } from '../schema/shapes.ts'
import { certificateDeliveries } from '../trust/items.ts'

const certificate = object(
  'A certificate of the item.',
  {
    fingerprint: string('SHA-256 of the certificate, in lower-case hexadecimal digits.'),
    subject: string('Whose it is.'),
    notAfter: timestamp('Until when it is valid.'),
  },
  { required: ['fingerprint', 'subject', 'notAfter'] },
)

const item = object(
  'One thing that the node trusts, or shows to be trusted.',
  {
    name: string(
      'kubelet-client-ca, cloud-ca, registry-ca/<host>, registry-pull-secret or api-server-ca.',
    ),
    state: oneOf('How it is, compared with what the cluster wants.', [
      'Current',
      'Lagging',
      'Failed',
      'Rendered',
      'NotGiven',
    ]),
    message: string('Why it is not current, for people.', { maxLength: 2048 }),
    paths: array('The files that hold it.', string('A path on the node.')),
    wantedDigest: string('Of what the cluster wants there.'),
    actualDigest: string('Of what is there.'),
    certificates: array('What is in it, as far as it is certificates.', certificate, {
      maxItems: 1000,
    }),
    earliestNotAfter: timestamp('When the first of them ends.'),
    writtenAt: timestamp('When it was written, or first found as it is.'),
    loadedAt: timestamp('When the program that reads it is known to have taken it over.'),
    source: objectReference('The object that it comes from.'),
  },
  { required: ['name', 'state'] },
)

const status = object('What was found on the node.', {
  delivery: oneOf('How certificates come to this node.', certificateDeliveries),
  observedResourceVersion: string('The ControllerConfig that this tells about.'),
  observedGeneration: integer('Its generation.', { format: 'int64' }),
  items: array('What the node trusts, one item each.', item, { keys: ['name'] }),
  earliestNotAfter: timestamp('When the first certificate of all items ends.'),
  kubeletRestart: object(
    'The turn to restart its kubelet that the node requests. The daemon sets it.',
    {
      requestedAt: timestamp('When the node first requested the turn.'),
      startedAt: timestamp('When the node began to use the granted turn.'),
    },
  ),
  conditions: conditions({ maxItems: 16 }),
})

const spec = object('What the operator grants to the node.', {
  kubeletRestart: object('The turn to restart its kubelet. The operator sets it.', {
    grantedAt: timestamp('When the turn was granted. The node holds it while this is set.'),
    withdrawnAt: timestamp('When the last turn was withdrawn because the node did not use it up.'),
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
  'What one node trusts, as its daemon found it on disk. It has the name of the node.',
  {
    shortNames: ['nt'],
    columns: [
      conditionColumn('Current'),
      textColumn('Expires', '.status.earliestNotAfter'),
      textColumn('Delivery', '.status.delivery'),
      wide(textColumn('Why', '.status.conditions[?(@.type=="Current")].message')),
      ageColumn,
    ],
    spec,
    status,
    specRequired: false,
  },
)
