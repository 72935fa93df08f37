import { durationPattern } from '@machinist/core/duration'
import type { KubeObject } from '@machinist/core/objects/resource'
import { ageColumn, conditionColumn, countColumn, kind, textColumn, wide } from '../schema/kind.ts'
import type { Rule, Schema, TypeOf } from '../schema/schema.ts'
import { array, integer, object, oneOf, rule, string, timestamp } from '../schema/schema.ts'
import { conditions, namespaceName, objectName } from '../schema/shapes.ts'
import { trustItems } from '../trust/items.ts'
import { trustRotations } from './resources.ts'

const duration = (description: string, rules: readonly Rule[] = []): Schema<string> =>
  string(`${description} A duration such as 8760h or 1h30m.`, {
    minLength: 2,
    maxLength: 32,
    pattern: durationPattern,
    rules,
  })

const placeFields = {
  namespace: namespaceName('Namespace of the object.'),
  name: objectName('Name of the object.', 1),
}

/** With a shorter validity, certificates would be replaced faster than their users load them. */
const minimumDuration = [rule("duration(self) >= duration('1m')", 'must be at least 1m')]

const lifeFields = {
  validity: duration('Validity of new certificates.', minimumDuration),
  refresh: duration(
    'Age at which a certificate is replaced. It is replaced after 80% of its validity at the latest.',
    minimumDuration,
  ),
  key: oneOf('Algorithm of new keys. Defaults to RSA-2048.', [
    'RSA-2048',
    'RSA-4096',
    'ECDSA-P256',
  ]),
}

const refreshRule = rule(
  '!has(self.validity) || !has(self.refresh) || duration(self.refresh) < duration(self.validity)',
  'refresh must be shorter than validity',
)

const place = ['namespace', 'name'] as const

const signer = object(
  'Secret with the CA that signs the targets, keys tls.crt and tls.key. The signer creates it if it does not exist. Validity defaults to 8760h, refresh to 7008h.',
  { ...placeFields, ...lifeFields },
  { required: place, rules: [refreshRule] },
)

const bundle = object(
  'ConfigMap with the current CA of this signer and the old CAs that are still needed, key ca-bundle.crt. The signer creates it if it does not exist.',
  placeFields,
  { required: place },
)

const publication = object(
  'A ConfigMap to which the bundle is published, key ca-bundle.crt, together with other bundles.',
  {
    ...placeFields,
    with: array(
      'ConfigMaps whose certificates (key ca-bundle.crt) are appended to the bundle, in this order. ConfigMaps that do not exist are skipped.',
      object('A ConfigMap with a CA bundle.', placeFields, { required: place }),
      { maxItems: 32 },
    ),
  },
  {
    required: place,
    rules: [
      rule(
        '!has(self.with) || self.with.all(each, each.__namespace__ != self.__namespace__ || each.name != self.name)',
        'with must not name the ConfigMap itself, because its certificates would never be removed',
      ),
    ],
  },
)

const target = object(
  'A Secret with a leaf certificate of the signer, keys tls.crt and tls.key. The signer creates it if it does not exist. Validity defaults to 720h, refresh to 360h.',
  {
    ...placeFields,
    ...lifeFields,
    usage: oneOf('Whether the certificate is for a client or a server.', ['client', 'server']),
    commonName: string('Common name of the certificate. Kubernetes uses it as the user name.', {
      minLength: 1,
      maxLength: 64,
    }),
    organizations: array(
      'Organizations of the certificate. Kubernetes uses them as groups.',
      string('An organization.', { minLength: 1, maxLength: 64 }),
      { maxItems: 16 },
    ),
    hostnames: array(
      'Subject alternative names of a server certificate.',
      string('A DNS name or an IP address.', { minLength: 1, maxLength: 253 }),
      { maxItems: 64 },
    ),
  },
  {
    required: ['namespace', 'name', 'usage', 'commonName'],
    rules: [
      refreshRule,
      rule(
        "self.usage == 'client' || (has(self.hostnames) && size(self.hostnames) > 0)",
        'hostnames are required if usage is server',
      ),
    ],
  },
)

const override = object(
  'Nodes that this rotation does not wait for. Until such a node trusts the new CA, it rejects the certificates that the CA signed.',
  {
    authority: string(
      'SHA-256 fingerprint of the CA that the nodes may lack, from status.current.fingerprint. The override is ignored for any other CA.',
      { pattern: '^[0-9a-f]{64}$' },
    ),
    nodes: array(
      'Names of the Nodes.',
      string('Name of a Node.', { minLength: 1, maxLength: 253 }),
      {
        set: true,
        maxItems: 5000,
      },
    ),
  },
  { required: ['authority', 'nodes'] },
)

const userData = object(
  'ConfigMap in which the operator records the CAs in the user data of each pool. Set it if new machines verify the targets with these CAs: a new CA signs targets once the user data of every pool contains it, and after settle.',
  {
    ...placeFields,
    settle: duration(
      'Time that a machine may take from its creation until it has verified a target. A new CA signs targets only this long after the user data of every pool contains it, because machines may still start with older user data. Defaults to 168h.',
      minimumDuration,
    ),
  },
  { required: place },
)

const spec = object(
  'The signer, its bundle, the certificates that it signs, and the nodes that must trust it first.',
  {
    signer,
    bundle,
    publishedIn: array('Other ConfigMaps to which the bundle is published.', publication, {
      keys: place,
      maxItems: 8,
    }),
    targets: array('The leaf certificates that the signer issues.', target, {
      keys: place,
      maxItems: 32,
    }),
    trustedBy: oneOf(
      'Item of NodeTrust that proves that a node trusts a CA. A new CA signs targets once all nodes trust it; an old CA is removed once nothing needs it. If neither trustedBy nor userData is set, only time decides: a new CA signs targets after a tenth of refresh, and an old CA is removed when it expires.',
      [trustItems.kubeletClientCA, trustItems.apiServerCA],
    ),
    userData,
    nodeSettle: duration(
      'Time that a kubelet needs to load a changed file of client CAs. A node is considered to trust a CA only this long after the CA was written. Defaults to 2m.',
    ),
    leafSettle: duration(
      'Time for which a leaf certificate may still be presented after it was replaced. The CA that signed it stays in the bundle for this long. Choose the time in which the Secret reaches its users, plus the 5 minutes after which kube-apiserver and other client-go programs reload files. Defaults to 10m.',
    ),
    settle: duration(
      'Deprecated: set nodeSettle and leafSettle instead. Used in place of each of them that is not set; for leafSettle only if it is longer than 10m.',
    ),
    renew: oneOf(
      'WhenDue: replace certificates at the age of refresh. WhenExpired: replace them only when they have expired or are damaged, for a standby signer. Defaults to WhenDue.',
      ['WhenDue', 'WhenExpired'],
    ),
    override,
  },
  {
    required: ['signer', 'bundle'],
    rules: [
      rule(
        '!has(self.targets) || self.targets.all(each, each.__namespace__ != self.signer.__namespace__ || each.name != self.signer.name)',
        "a target must not be the signer's own Secret",
      ),
      rule(
        '!has(self.publishedIn) || self.publishedIn.all(each, each.__namespace__ != self.bundle.__namespace__ || each.name != self.bundle.name)',
        'publishedIn must not name the bundle itself',
      ),
    ],
  },
)

const authority = object(
  'The CA that signs targets.',
  {
    fingerprint: string(
      'SHA-256 fingerprint of the certificate, in lower-case hexadecimal digits.',
    ),
    subject: string('Subject of the certificate.'),
    notBefore: timestamp('Start of the validity period.'),
    notAfter: timestamp('End of the validity period.'),
  },
  { required: ['fingerprint', 'subject', 'notBefore', 'notAfter'] },
)

const retiring = object(
  'A CA that is being removed.',
  {
    fingerprint: string(
      'SHA-256 fingerprint of the certificate, in lower-case hexadecimal digits.',
    ),
    subject: string('Subject of the certificate.'),
    notAfter: timestamp('End of the validity period.'),
    neededBy: array(
      'Reasons why the CA is still in the bundle.',
      string('A human-readable reason.', { maxLength: 512 }),
      { maxItems: 32 },
    ),
  },
  { required: ['fingerprint', 'subject', 'notAfter'] },
)

const issued = object(
  'A leaf certificate of the signer.',
  {
    namespace: string('Namespace of the Secret.'),
    name: string('Name of the Secret.'),
    signedBy: string(
      'SHA-256 fingerprint of the CA that signed the certificate. Absent if it is not known.',
    ),
    serial: string('Serial number of the certificate, in lower-case hexadecimal digits.'),
    notBefore: timestamp('Start of the validity period.'),
    notAfter: timestamp('End of the validity period.'),
  },
  { required: place },
)

const laggard = object(
  'A node that the rotation waits for.',
  {
    name: string('Name of the Node.'),
    since: timestamp('Since when the rotation waits for the node.'),
    why: string('Human-readable explanation.', { maxLength: 512 }),
  },
  { required: ['name', 'since', 'why'] },
)

const evidence = object('Evidence from the nodes.', {
  total: integer('Number of nodes.'),
  trusting: integer('Number of nodes that trust the current CA.'),
  holdingOld: integer('Number of nodes that still trust a CA that is being removed.'),
  excused: integer('Number of nodes that the rotation does not wait for.'),
  laggards: array(
    'Nodes that the rotation waits for, the longest waiting first. At most 20 are listed.',
    laggard,
    {
      maxItems: 20,
    },
  ),
})

const userDataEvidence = object('Evidence from the user data of pools.', {
  total: integer('Number of pools with user data.'),
  trusting: integer('Number of pools whose user data contains the current CA.'),
  laggards: array(
    'Pools that the rotation waits for. At most 20 are listed.',
    string('Name of a MachineConfigPool.'),
    { maxItems: 20 },
  ),
  settlesAt: timestamp(
    'Until when machines may start with user data that lacks the current CA. Absent if that does not delay the rotation.',
  ),
})

export const rotationPhases = [
  'Preparing',
  'Prepared',
  'Issuing',
  'Completing',
  'Completed',
] as const

const status = object('Observed state of the rotation.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
    format: 'int64',
  }),
  phase: oneOf(
    'Preparing: the new CA is being delivered to the nodes, or to the user data of pools. Prepared: all of them trust the new CA. Issuing: the new CA signs the targets. Completing: the old CA is being removed. Completed: one CA is left, all nodes trust it, and it signed all targets.',
    rotationPhases,
  ),
  phaseSince: timestamp('Since when the rotation is in this phase.'),
  current: authority,
  retiring: array('CAs that are being removed.', retiring, { maxItems: 64 }),
  desiredAuthorities: array(
    'SHA-256 fingerprints of all CAs that nodes must trust, of this signer and of others. Absent if spec.publishedIn does not name the ConfigMap that is delivered to nodes.',
    string('SHA-256 fingerprint, in lower-case hexadecimal digits.'),
    { maxItems: 1000 },
  ),
  targets: array('The leaf certificates of the signer.', issued, { maxItems: 32 }),
  nodes: evidence,
  userData: userDataEvidence,
  nextRotation: timestamp('When the current CA is due for replacement.'),
  conditions: conditions({ maxItems: 16 }),
})

export type RotationPhase = (typeof rotationPhases)[number]
export interface TrustRotationSpec extends TypeOf<typeof spec> {}
export interface RotationTarget extends TypeOf<typeof target> {}
export interface TrustRotationStatus extends TypeOf<typeof status> {}

export interface TrustRotation extends KubeObject {
  spec: TrustRotationSpec
  status?: TrustRotationStatus
}

export const trustRotationKind = kind(
  trustRotations,
  'TrustRotation rotates a CA: its signer, the bundle that makes it trusted, and the leaf certificates that it signs.',
  {
    shortNames: ['tr'],
    columns: [
      textColumn('Phase', '.status.phase'),
      countColumn('Nodes', '.status.nodes.total'),
      countColumn('Trusting', '.status.nodes.trusting'),
      textColumn('SignerExpires', '.status.current.notAfter'),
      conditionColumn('Degraded'),
      wide(textColumn('Message', '.status.conditions[?(@.type=="Progressing")].message')),
      ageColumn,
    ],
    spec,
    status,
  },
)
