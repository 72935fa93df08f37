import type { ImagePolicySpec } from '../openshift-config.ts'
import { clusterImagePolicies } from '../openshift-config.ts'
import { kind } from '../schema/kind.ts'
import { imageScope, repositoryName } from '../schema/registry-names.ts'
import type { Schema } from '../schema/schema.ts'
import { array, bytes, object, oneOf, rule, string } from '../schema/schema.ts'
import { conditions, onlyWith } from '../schema/shapes.ts'

/** Nodes would find out that it is something else only when they pull an image, and pull none. */
const pem = (description: string, what: string): Schema<string> =>
  bytes(description, {
    maxLength: 8192,
    rules: [
      rule(
        `string(self).startsWith('-----BEGIN ${what}-----') && (string(self).endsWith('-----END ${what}-----') || string(self).endsWith('-----END ${what}-----\\n'))`,
        `must be base64 of PEM, from '-----BEGIN ${what}-----' to '-----END ${what}-----'`,
      ),
    ],
  })

const key = (description: string): Schema<string> => pem(description, 'PUBLIC KEY')
const certificates = (description: string): Schema<string> => pem(description, 'CERTIFICATE')

const email = (description: string): Schema<string> =>
  string(description, {
    maxLength: 320,
    rules: [rule("self.matches('^[^ @]+@[^ @]+$')", 'must be an email address')],
  })

const publicKey = object(
  'A key that everybody who signs has.',
  {
    keyData: key('The key.'),
    rekorKeyData: key('The key of the Rekor log that has to know of it.'),
  },
  { required: ['keyData'] },
)

const fulcioCAWithRekor = object(
  'A CA that gives out certificates to whoever logs in, and a log of what was signed.',
  {
    fulcioCAData: certificates('The CA.'),
    rekorKeyData: key('The key of the Rekor log.'),
    fulcioSubject: object(
      'Who has to have signed.',
      {
        oidcIssuer: string('Where they logged in, as a URL.', {
          maxLength: 2048,
          rules: [rule('isURL(self)', 'must be a URL')],
        }),
        signedEmail: email('Their email address.'),
      },
      { required: ['oidcIssuer', 'signedEmail'] },
    ),
  },
  { required: ['fulcioCAData', 'rekorKeyData', 'fulcioSubject'] },
)

const pki = object(
  'CAs of your own.',
  {
    caRootsData: certificates('The CAs.'),
    caIntermediatesData: certificates('Those between them and whoever signs.'),
    pkiCertificateSubject: object(
      'Who has to have signed.',
      {
        email: email('The email address in their certificate.'),
        hostname: string('The host in their certificate, or *.domain.', {
          maxLength: 253,
          rules: [
            rule(
              "!format.dns1123Subdomain().validate(self.startsWith('*.') ? self.substring(2) : self).hasValue()",
              'must be a lower case DNS subdomain, or *. and one',
            ),
          ],
        }),
      },
      { rules: [rule('has(self.email) || has(self.hostname)', 'email or hostname must be set')] },
    ),
  },
  { required: ['caRootsData', 'pkiCertificateSubject'] },
)

const rootOfTrust = object(
  'Whose signature counts.',
  {
    policyType: oneOf('By what they are known.', ['PublicKey', 'FulcioCAWithRekor', 'PKI']),
    publicKey,
    fulcioCAWithRekor,
    pki,
  },
  {
    required: ['policyType'],
    rules: [
      onlyWith('publicKey', 'policyType', 'PublicKey'),
      onlyWith('fulcioCAWithRekor', 'policyType', 'FulcioCAWithRekor'),
      onlyWith('pki', 'policyType', 'PKI'),
    ],
  },
)

const signedIdentity = object(
  'What name the signature has to be for. Where nothing is said, MatchRepoDigestOrExact.',
  {
    matchPolicy: oneOf(
      'The name of the image, or its repository where it is named by digest; its repository; another one; or the name with another beginning.',
      ['MatchRepoDigestOrExact', 'MatchRepository', 'ExactRepository', 'RemapIdentity'],
    ),
    exactRepository: object(
      'The one repository that signatures are for.',
      { repository: repositoryName('The repository.') },
      { required: ['repository'] },
    ),
    remapIdentity: object(
      'For mirrors that keep the names behind their own.',
      {
        prefix: repositoryName('How images are called here.'),
        signedPrefix: repositoryName('How they were called when they were signed.'),
      },
      { required: ['prefix', 'signedPrefix'] },
    ),
  },
  {
    required: ['matchPolicy'],
    rules: [
      onlyWith('exactRepository', 'matchPolicy', 'ExactRepository'),
      onlyWith('remapIdentity', 'matchPolicy', 'RemapIdentity'),
    ],
  },
)

const spec: Schema<ImagePolicySpec> = object(
  'Of which images, and whose.',
  {
    scopes: array(
      'Of which images. The most precise scope that an image is in counts.',
      imageScope('A registry, a part of one or a single image, or all hosts under a domain.'),
      { set: true, maxItems: 256 },
    ),
    policy: object(
      'Whose signature they must have.',
      { rootOfTrust, signedIdentity },
      { required: ['rootOfTrust'] },
    ),
  },
  { required: ['scopes', 'policy'] },
)

const status = object('Nothing is told here by Machinist.', {
  conditions: conditions({ minItems: 1, maxItems: 8 }),
})

export const clusterImagePolicyKind = kind(
  clusterImagePolicies,
  'Whose signature images must have on every node.',
  { spec, status },
)
