import type { ImagePolicySpec } from '../../openshift-config.ts'
import { clusterImagePolicies } from '../../openshift-config.ts'
import { kind } from '../../schema/kind.ts'
import { imageScope, repositoryName } from '../../schema/registry-names.ts'
import type { Schema } from '../../schema/schema.ts'
import { array, bytes, object, oneOf, rule, string } from '../../schema/schema.ts'
import { conditions, onlyWith } from '../../schema/shapes.ts'

/** Without this check, invalid data would surface only on nodes, where every image pull would fail. */
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
  'Signatures are verified with a public key.',
  {
    keyData: key('Public key of the signer: PEM, in base64.'),
    rekorKeyData: key(
      'Public key of the Rekor transparency log: PEM, in base64. If set, the signature must be recorded in the log.',
    ),
  },
  { required: ['keyData'] },
)

const fulcioCAWithRekor = object(
  'Signatures are verified with certificates that a Fulcio CA issued, and with a Rekor transparency log.',
  {
    fulcioCAData: certificates('Certificate of the Fulcio CA: PEM, in base64.'),
    rekorKeyData: key('Public key of the Rekor transparency log: PEM, in base64.'),
    fulcioSubject: object(
      'Identity of the required signer.',
      {
        oidcIssuer: string('URL of the OIDC issuer that authenticated the signer.', {
          maxLength: 2048,
          rules: [rule('isURL(self)', 'must be a URL')],
        }),
        signedEmail: email('Email address of the signer.'),
      },
      { required: ['oidcIssuer', 'signedEmail'] },
    ),
  },
  { required: ['fulcioCAData', 'rekorKeyData', 'fulcioSubject'] },
)

const pki = object(
  'Signatures are verified with certificates of your own CAs.',
  {
    caRootsData: certificates('Root CA certificates: PEM, in base64.'),
    caIntermediatesData: certificates('Intermediate CA certificates: PEM, in base64.'),
    pkiCertificateSubject: object(
      "Identity in the signer's certificate.",
      {
        email: email("Email address in the signer's certificate."),
        hostname: string("Host name in the signer's certificate, or *.domain.", {
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
  'How signatures are verified.',
  {
    policyType: oneOf('Type of the root of trust. Selects which of the other fields is set.', [
      'PublicKey',
      'FulcioCAWithRekor',
      'PKI',
    ]),
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
  'Image identity that the signature must state. Defaults to MatchRepoDigestOrExact.',
  {
    matchPolicy: oneOf(
      'MatchRepoDigestOrExact: the image reference with its tag, or the repository if the image is referenced by digest. MatchRepository: the repository. ExactRepository: the repository in exactRepository. RemapIdentity: the image reference with the prefix replaced as in remapIdentity.',
      ['MatchRepoDigestOrExact', 'MatchRepository', 'ExactRepository', 'RemapIdentity'],
    ),
    exactRepository: object(
      'The repository for matchPolicy ExactRepository.',
      { repository: repositoryName('Repository that the signature must state.') },
      { required: ['repository'] },
    ),
    remapIdentity: object(
      'The prefixes for matchPolicy RemapIdentity, for mirrors that preserve repository names below a prefix.',
      {
        prefix: repositoryName('Prefix of the image reference on the mirror.'),
        signedPrefix: repositoryName('Prefix that replaces it in the identity of the signature.'),
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
  'The images and the signature that they must have.',
  {
    scopes: array(
      'The images that the policy applies to. If several scopes match an image, the most specific one applies.',
      imageScope('A registry, a repository or namespace in it, an image, or *.domain.'),
      { set: true, maxItems: 256 },
    ),
    policy: object(
      'The signature that the images must have.',
      { rootOfTrust, signedIdentity },
      { required: ['rootOfTrust'] },
    ),
  },
  { required: ['scopes', 'policy'] },
)

const status = object('Observed state. Machinist does not write it; pools report problems.', {
  conditions: conditions({ minItems: 1, maxItems: 8 }),
})

export const clusterImagePolicyKind = kind(
  clusterImagePolicies,
  'ClusterImagePolicy requires signatures for images that nodes pull.',
  { spec, status },
)
