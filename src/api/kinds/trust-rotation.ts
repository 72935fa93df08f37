import { durationPattern } from '@machinist/core/duration'
import type { KubeObject } from '@machinist/core/resource'
import { trustRotations } from '../resources.ts'
import { ageColumn, conditionColumn, countColumn, kind, textColumn, wide } from '../schema/kind.ts'
import type { Rule, Schema, TypeOf } from '../schema/schema.ts'
import { array, integer, object, oneOf, rule, string, timestamp } from '../schema/schema.ts'
import { conditions, namespaceName, objectName } from '../schema/shapes.ts'
import { trustItems } from '../trust/items.ts'

const duration = (description: string, rules: readonly Rule[] = []): Schema<string> =>
  string(`${description} In hours, minutes and seconds: 8760h, 1h30m.`, {
    minLength: 2,
    maxLength: 32,
    pattern: durationPattern,
    rules,
  })

const placeFields = { namespace: namespaceName('Its namespace.'), name: objectName('Its name.', 1) }

/** Below it, new certificates would follow one another faster than anybody can take them over. */
const leastLife = [rule("duration(self) >= duration('1m')", 'must be at least 1m')]

const lifeFields = {
  validity: duration('How long a new certificate is valid.', leastLife),
  refresh: duration(
    'After this long a new one takes its place, and in any case after four fifths of its life.',
    leastLife,
  ),
  key: oneOf('The kind of new keys; RSA-2048 unless said.', ['RSA-2048', 'RSA-4096', 'ECDSA-P256']),
}

const refreshRule = rule(
  '!has(self.validity) || !has(self.refresh) || duration(self.refresh) < duration(self.validity)',
  'refresh must be shorter than validity',
)

const place = ['namespace', 'name'] as const

const signer = object(
  'The Secret with the CA that signs, keys tls.crt and tls.key. Made if it is not there, for 8760h, refreshed after 7008h.',
  { ...placeFields, ...lifeFields },
  { required: place, rules: [refreshRule] },
)

const bundle = object(
  'The ConfigMap with all CAs of this signer that count, key ca-bundle.crt. Made if it is not there.',
  placeFields,
  { required: place },
)

const publication = object(
  'A ConfigMap, key ca-bundle.crt, that holds the bundle together with others.',
  {
    ...placeFields,
    with: array(
      'ConfigMaps, key ca-bundle.crt, whose certificates are in it too, in this order and behind ours. Absent ones are left out.',
      object('A ConfigMap.', placeFields, { required: place }),
      { maxItems: 32 },
    ),
  },
  {
    required: place,
    rules: [
      rule(
        '!has(self.with) || self.with.all(each, each.__namespace__ != self.__namespace__ || each.name != self.name)',
        'with must not name the ConfigMap itself: what is in it would never leave it',
      ),
    ],
  },
)

const target = object(
  'A Secret with a certificate of the signer, keys tls.crt and tls.key. Made if it is not there, for 720h, refreshed after 360h.',
  {
    ...placeFields,
    ...lifeFields,
    usage: oneOf('Who shows it: a client or a server.', ['client', 'server']),
    commonName: string('Whose it is; Kubernetes reads it as the user.', {
      minLength: 1,
      maxLength: 64,
    }),
    organizations: array(
      'Kubernetes reads them as groups.',
      string('A group.', { minLength: 1, maxLength: 64 }),
      { maxItems: 16 },
    ),
    hostnames: array(
      'Names and addresses of a server.',
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
        'a server needs hostnames',
      ),
    ],
  },
)

const override = object(
  'Nodes that this rotation does not wait for. They lose whatever needs the new CA until they have it.',
  {
    authority: string(
      'SHA-256 of the CA that they may lack, as status.current.fingerprint has it; for any other it does not count.',
      { pattern: '^[0-9a-f]{64}$' },
    ),
    nodes: array('Names of Nodes.', string('A Node.', { minLength: 1, maxLength: 253 }), {
      set: true,
      maxItems: 5000,
    }),
  },
  { required: ['authority', 'nodes'] },
)

const spec = object(
  'Who signs, who is trusted, whose certificates are signed, and who has to know first.',
  {
    signer,
    bundle,
    publishedIn: array('Where else the bundle goes.', publication, { keys: place, maxItems: 8 }),
    targets: array('The certificates that are signed.', target, { keys: place, maxItems: 32 }),
    trustedBy: oneOf(
      'The item of NodeTrust by which nodes tell that they trust a CA. Certificates are signed by a new CA once all nodes do, and an old one goes once nothing needs it. Without it, time alone decides: a tenth of refresh before certificates are signed by a new CA, and old ones stay until they end.',
      [trustItems.kubeletClientCA, trustItems.apiServerCA],
    ),
    nodeSettle: duration(
      'How long a kubelet may take to load a file of client CAs: a node counts as trusting a CA only this long after it was written. Default: 2m.',
    ),
    leafSettle: duration(
      'How long a leaf certificate may still be presented after it was replaced: the CA that signed it stays in the bundle for this long. Choose the time in which the Secret reaches the holder, plus the 5 minutes after which kube-apiserver and other programs with client-go look at their files. Default: 10m.',
    ),
    settle: duration(
      'Deprecated: set nodeSettle and leafSettle instead. Stands for each of them that is not set; for leafSettle only if it is longer than 10m.',
    ),
    renew: oneOf(
      'WhenDue unless said. WhenExpired leaves everything as it is until it has ended or is damaged: for a second signer that is to help out only.',
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
  'A CA.',
  {
    fingerprint: string('SHA-256 of the certificate, in lower-case hexadecimal digits.'),
    subject: string('Whose it is.'),
    notBefore: timestamp('From when it is valid.'),
    notAfter: timestamp('Until when it is valid.'),
  },
  { required: ['fingerprint', 'subject', 'notBefore', 'notAfter'] },
)

const retiring = object(
  'A CA that is to go.',
  {
    fingerprint: string('SHA-256 of the certificate, in lower-case hexadecimal digits.'),
    subject: string('Whose it is.'),
    notAfter: timestamp('Until when it is valid.'),
    neededBy: array(
      'What it is still needed for, for people.',
      string('A reason.', { maxLength: 512 }),
      { maxItems: 32 },
    ),
  },
  { required: ['fingerprint', 'subject', 'notAfter'] },
)

const issued = object(
  'A certificate that is signed.',
  {
    namespace: string('Its namespace.'),
    name: string('Its name.'),
    signedBy: string('SHA-256 of the CA that signed it; absent if that is not known.'),
    serial: string('Its serial number, in lower-case hexadecimal digits.'),
    notBefore: timestamp('From when it is valid.'),
    notAfter: timestamp('Until when it is valid.'),
  },
  { required: place },
)

const laggard = object(
  'A node that is waited for.',
  {
    name: string('The Node.'),
    since: timestamp('Since when.'),
    why: string('What is known about it, for people.', { maxLength: 512 }),
  },
  { required: ['name', 'since', 'why'] },
)

const evidence = object('What nodes have told.', {
  total: integer('All nodes.'),
  trusting: integer('Those that trust the current CA.'),
  holdingOld: integer('Those that still trust a CA that is to go.'),
  excused: integer('Those that are not waited for.'),
  laggards: array('Some of those that are waited for, the longest first.', laggard, {
    maxItems: 20,
  }),
})

export const rotationPhases = [
  'Preparing',
  'Prepared',
  'Issuing',
  'Completing',
  'Completed',
] as const

const status = object('How far it is, as found in the cluster and on the nodes.', {
  observedGeneration: integer('The spec that this tells about.', { format: 'int64' }),
  phase: oneOf(
    'Preparing: the new CA is on its way to the nodes. Prepared: all trust it. Issuing: certificates are being signed by it. Completing: the old one is on its way out. Completed: there is one CA, trusted by all, and it signed everything.',
    rotationPhases,
  ),
  phaseSince: timestamp('Since when it is in this phase.'),
  current: authority,
  retiring: array('CAs that are to go.', retiring, { maxItems: 64 }),
  desiredAuthorities: array(
    'SHA-256 of every CA that nodes are to trust, of this signer and of others. Absent where spec.publishedIn does not name the ConfigMap from which CAs go to nodes.',
    string('A fingerprint, in lower-case hexadecimal digits.'),
    { maxItems: 1000 },
  ),
  targets: array('The certificates that are signed.', issued, { maxItems: 32 }),
  nodes: evidence,
  nextRotation: timestamp('When the signer is due.'),
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
  'A CA that rotates: its signer, the bundle by which it is trusted, and the certificates that it signs.',
  {
    shortNames: ['tr'],
    columns: [
      textColumn('Phase', '.status.phase'),
      countColumn('Nodes', '.status.nodes.total'),
      countColumn('Trusting', '.status.nodes.trusting'),
      textColumn('Signer ends', '.status.current.notAfter'),
      conditionColumn('Degraded'),
      wide(textColumn('Why', '.status.conditions[?(@.type=="Progressing")].message')),
      ageColumn,
    ],
    spec,
    status,
  },
)
