import { InvalidInput } from '@machinist/core/errors'
import { quoted } from '@machinist/core/quoted'
import type { ImagePolicySpec } from '../../../api/openshift-config.ts'
import { isMirror } from '../model/scopes.ts'

/** A requirement of policy.json: a type and its fields, in the order in which they are written. */
export interface Requirement {
  readonly type: string
  readonly [field: string]: unknown
}

export const accept: Requirement = { type: 'insecureAcceptAnything' }
export const reject: Requirement = { type: 'reject' }
export const isSigned = ({ type }: Requirement): boolean => type === signed

const signed = 'sigstoreSigned'

type SignaturePolicy = NonNullable<ImagePolicySpec['policy']>
type Root = NonNullable<SignaturePolicy['rootOfTrust']>

/** The requirement of a policy. Throws InvalidInput with the name of the invalid field. Public keys are not secret. */
export function signatureRequirement(policy: ImagePolicySpec['policy']): Requirement {
  const root = policy?.rootOfTrust ?? {}
  const trust = trusts.get(root.policyType ?? '')
  if (!trust) {
    const types = [...trusts.keys()].join(', ')
    throw new InvalidInput(
      `${rootField}.policyType: ${quoted(root.policyType ?? '')} is not supported; use one of ${types}`,
    )
  }
  return { type: signed, ...trust(root), signedIdentity: identity(policy?.signedIdentity) }
}

const rootField = 'spec.policy.rootOfTrust'

function publicKeyTrust({ publicKey }: Root): object {
  const { keyData, rekorKeyData } = publicKey ?? {}
  const at = `${rootField}.publicKey`
  return {
    keyData: bytes(keyData, `${at}.keyData`),
    ...(rekorKeyData && { rekorPublicKeyData: bytes(rekorKeyData, `${at}.rekorKeyData`) }),
  }
}

function fulcioTrust({ fulcioCAWithRekor }: Root): object {
  const { fulcioCAData, rekorKeyData, fulcioSubject } = fulcioCAWithRekor ?? {}
  const { oidcIssuer, signedEmail } = fulcioSubject ?? {}
  const at = `${rootField}.fulcioCAWithRekor`
  return {
    fulcio: {
      caData: bytes(fulcioCAData, `${at}.fulcioCAData`),
      oidcIssuer: required(oidcIssuer, `${at}.fulcioSubject.oidcIssuer`),
      subjectEmail: required(signedEmail, `${at}.fulcioSubject.signedEmail`),
    },
    rekorPublicKeyData: bytes(rekorKeyData, `${at}.rekorKeyData`),
  }
}

function pkiTrust({ pki }: Root): object {
  const { caRootsData, caIntermediatesData: between, pkiCertificateSubject } = pki ?? {}
  const { email, hostname } = pkiCertificateSubject ?? {}
  const at = `${rootField}.pki`
  if (!email && !hostname) {
    throw new InvalidInput(`${at}.pkiCertificateSubject: email or hostname is required`)
  }
  return {
    pki: {
      caRootsData: bytes(caRootsData, `${at}.caRootsData`),
      ...(between && { caIntermediatesData: bytes(between, `${at}.caIntermediatesData`) }),
      ...(email && { subjectEmail: email }),
      ...(hostname && { subjectHostname: hostname }),
    },
  }
}

/** The fields that identify the signer, by `policyType`. */
const trusts: ReadonlyMap<string, (root: Root) => object> = new Map([
  ['PublicKey', publicKeyTrust],
  ['FulcioCAWithRekor', fulcioTrust],
  ['PKI', pkiTrust],
])

/** Which image name the signature must be for. */
function identity(signedIdentity: SignaturePolicy['signedIdentity']): Requirement {
  if (!signedIdentity) return { type: 'matchRepoDigestOrExact' }
  const at = 'spec.policy.signedIdentity'
  const { matchPolicy = '', exactRepository, remapIdentity } = signedIdentity
  switch (matchPolicy) {
    case 'MatchRepoDigestOrExact':
      return { type: 'matchRepoDigestOrExact' }
    case 'MatchRepository':
      return { type: 'matchRepository' }
    case 'ExactRepository': {
      const where = `${at}.exactRepository.repository`
      return {
        type: 'exactRepository',
        dockerRepository: repositoryName(exactRepository?.repository, where),
      }
    }
    case 'RemapIdentity':
      return {
        type: 'remapIdentity',
        prefix: repositoryName(remapIdentity?.prefix, `${at}.remapIdentity.prefix`),
        signedPrefix: repositoryName(
          remapIdentity?.signedPrefix,
          `${at}.remapIdentity.signedPrefix`,
        ),
      }
    default:
      throw new InvalidInput(
        `${at}.matchPolicy: ${quoted(matchPolicy)} is not supported; use one of MatchRepoDigestOrExact, MatchRepository, ExactRepository, RemapIdentity`,
      )
  }
}

/** Canonical base64. */
function bytes(text: string | undefined, field: string): string {
  const packed = required(text, field).replaceAll(/[\r\n]/g, '')
  const written = Buffer.from(packed, 'base64').toString('base64')
  if (written !== packed) throw new InvalidInput(`${field}: invalid base64`)
  return written
}

function repositoryName(text: string | undefined, field: string): string {
  const name = required(text, field)
  if (isMirror(name)) return name
  throw new InvalidInput(`${field}: invalid value ${quoted(name)}; use host[:port][/path]`)
}

function required(text: string | undefined, field: string): string {
  if (text) return text
  throw new InvalidInput(`${field}: required`)
}
