import type { ImagePolicySpec } from '../../api/openshift-config.ts'
import { InvalidInput } from '@machinist/core/errors'
import { isMirror, shown } from './scopes.ts'

/** What policy.json asks of an image: a type, and whatever belongs to it. In the order in which it is written. */
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

/** What a policy asks of images. Throws InvalidInput, naming the field, for what nodes could not use. Keys are not secret. */
export function signatureRequirement(policy: ImagePolicySpec['policy']): Requirement {
  const root = policy?.rootOfTrust ?? {}
  const trust = trusts.get(root.policyType ?? '')
  if (!trust) {
    const types = [...trusts.keys()].join(', ')
    throw new InvalidInput(
      `${rootField}.policyType: ${shown(root.policyType ?? '')} is none of ${types}`,
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
      oidcIssuer: given(oidcIssuer, `${at}.fulcioSubject.oidcIssuer`),
      subjectEmail: given(signedEmail, `${at}.fulcioSubject.signedEmail`),
    },
    rekorPublicKeyData: bytes(rekorKeyData, `${at}.rekorKeyData`),
  }
}

function pkiTrust({ pki }: Root): object {
  const { caRootsData, caIntermediatesData: between, pkiCertificateSubject } = pki ?? {}
  const { email, hostname } = pkiCertificateSubject ?? {}
  const at = `${rootField}.pki`
  if (!email && !hostname) {
    throw new InvalidInput(`${at}.pkiCertificateSubject: email or hostname is missing`)
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

/** By what somebody is known whose signature counts. */
const trusts: ReadonlyMap<string, (root: Root) => object> = new Map([
  ['PublicKey', publicKeyTrust],
  ['FulcioCAWithRekor', fulcioTrust],
  ['PKI', pkiTrust],
])

/** What name the signature has to be for. */
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
        dockerRepository: named(exactRepository?.repository, where),
      }
    }
    case 'RemapIdentity':
      return {
        type: 'remapIdentity',
        prefix: named(remapIdentity?.prefix, `${at}.remapIdentity.prefix`),
        signedPrefix: named(remapIdentity?.signedPrefix, `${at}.remapIdentity.signedPrefix`),
      }
    default:
      throw new InvalidInput(
        `${at}.matchPolicy: unknown signedIdentity match policy ${shown(matchPolicy)}`,
      )
  }
}

/** Base64, in the one way in which it is written. */
function bytes(text: string | undefined, field: string): string {
  const packed = given(text, field).replaceAll(/[\r\n]/g, '')
  const written = Buffer.from(packed, 'base64').toString('base64')
  if (written !== packed) throw new InvalidInput(`${field}: is not base64`)
  return written
}

function named(text: string | undefined, field: string): string {
  const name = given(text, field)
  if (isMirror(name)) return name
  throw new InvalidInput(`${field}: ${shown(name)} is not of the form host[:port][/path]`)
}

function given(text: string | undefined, field: string): string {
  if (text) return text
  throw new InvalidInput(`${field}: is missing`)
}
