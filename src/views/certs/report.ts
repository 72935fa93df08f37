import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import { lastOfFamilies, signerFamily } from '../../api/trust/signer-family.ts'
import type { BundleFacts, CertificateFacts, CertificateSecret, CertsFacts } from './facts.ts'
import { otherTrust } from './facts.ts'
import { refreshAt } from './validity.ts'
import type { NodesLine } from './holders.ts'
import { holdersOf } from './holders.ts'
import type { RotationLine } from './rotations.ts'
import { rotationLines } from './rotations.ts'

/** One trust item: its signers, bundles, leaf certificates and nodes. */
export interface TrustSection {
  readonly name: string
  readonly about: string
  readonly signers: readonly SecretLine[]
  readonly bundles: readonly BundleLine[]
  readonly leafCertificates: readonly SecretLine[]
  readonly nodes?: NodesLine
}

export interface SecretLine {
  readonly object: string
  readonly issuer?: string
  readonly notBefore?: number
  readonly notAfter?: number
  readonly refresh?: number
  readonly note?: string
  /** The rotation of a signer that Machinist rotates. */
  readonly rotation?: RotationLine
}

export interface BundleLine {
  /** Objects with the same certificates, in the order in which components copy them. */
  readonly objects: readonly string[]
  readonly broken: number
  readonly certificates: readonly CertificateLine[]
}

export interface CertificateLine extends CertificateFacts {
  /** Whether the bundle contains its successor. */
  readonly hasSuccessor: boolean
}

const descriptions: Readonly<Record<string, string>> = {
  [trustItems.kubeletClientCA]: 'CAs of clients that kubelets accept',
  [trustItems.apiServerCA]: 'CAs by which kubelets verify the API server',
  [trustItems.cloudCA]: 'CAs by which nodes verify the cloud API',
  [trustItems.registryCAs]: 'CAs by which nodes verify image registries',
  [trustItems.pullSecret]: 'credentials for the image registry of the cluster',
  [otherTrust.configServer]: 'CAs by which new machines verify the config server',
  [otherTrust.user]: 'CAs that the administrator adds',
  [otherTrust.other]: 'not trusted by nodes',
}

/** Pure: the trust items of a cluster. Items without any data are omitted. */
export function sectionsOf(facts: CertsFacts): TrustSection[] {
  const unclaimed = new Set(facts.secrets)
  const rotations = rotationLines(facts.rotations ?? [])
  return Object.keys(descriptions).flatMap((name) => {
    const bundles = facts.bundles.filter(({ of }) => of === name)
    const claimed = name === otherTrust.other ? [...unclaimed] : claimedBy(name, bundles, unclaimed)
    for (const secret of claimed) unclaimed.delete(secret)
    const nodes = isItem(name) ? holdersOf(facts, name) : undefined
    const isEmpty = bundles.length === 0 && claimed.length === 0 && !nodes
    if (isEmpty) return []
    const signers = claimed.filter(({ type }) => type === 'signer')
    const leafCertificates = claimed.filter(({ type }) => type === 'target')
    return [
      {
        name,
        about: descriptions[name]!,
        signers: signers.map((each) => ({ ...secretLine(each), ...rotationOf(each, rotations) })),
        bundles: bundleLines(bundles),
        leafCertificates: leafCertificates.map((leaf) =>
          secretLine(leaf, leafNote(leaf, signers, bundles, rotations)),
        ),
        ...(nodes && { nodes }),
      },
    ]
  })
}

const isItem = (name: string): name is TrustItem => Object.values<string>(trustItems).includes(name)

/** Signers whose family is in a bundle, and the certificates that they signed. */
function claimedBy(
  name: string,
  bundles: readonly BundleFacts[],
  secrets: ReadonlySet<CertificateSecret>,
): CertificateSecret[] {
  const families = new Set(
    bundles.flatMap(({ certificates }) =>
      certificates.map(({ commonName }) => signerFamily(commonName)),
    ),
  )
  const isConfigServer = name === otherTrust.configServer
  return [...secrets].filter(({ issuer, object }) => {
    // The certificate of the config server has no annotations before its first rotation.
    if (isConfigServer && object.endsWith('/machine-config-server-tls')) return true
    return issuer !== undefined && families.has(signerFamily(issuer))
  })
}

function secretLine(secret: CertificateSecret, note?: string): SecretLine {
  const { object, issuer, notBefore, notAfter, refreshMs } = secret
  const refresh = refreshAt(notBefore, notAfter, refreshMs)
  return {
    object,
    ...(issuer !== undefined && { issuer }),
    ...(notBefore !== undefined && { notBefore }),
    ...(notAfter !== undefined && { notAfter }),
    ...(refresh !== undefined && { refresh }),
    ...(note !== undefined && { note }),
  }
}

type Rotations = ReadonlyMap<string, RotationLine>

function rotationOf(
  { object }: CertificateSecret,
  rotations: Rotations,
): Pick<SecretLine, 'rotation'> {
  const rotation = rotations.get(object)
  return rotation ? { rotation } : {}
}

function leafNote(
  { issuer }: CertificateSecret,
  signers: readonly CertificateSecret[],
  bundles: readonly BundleFacts[],
  rotations: Rotations,
): string | undefined {
  if (issuer === undefined) return undefined
  const last = bundles.at(-1)
  const isTrusted = last?.certificates.some(({ commonName }) => commonName === issuer)
  if (last && !isTrusted) return `not trusted: its signer ${issuer} is not in ${last.object}`
  const isCurrent = signers.some((signer) => signer.issuer === issuer)
  const successor = signers.find(
    (signer) => signerFamily(signer.issuer ?? '') === signerFamily(issuer),
  )
  if (isCurrent || !successor) return undefined
  return `signed by an earlier signer until ${replacedWhen(rotations.get(successor.object))}`
}

function replacedWhen(rotation: RotationLine | undefined): string {
  if (rotation?.trustedBy !== undefined) return 'every node trusts the new one'
  return rotation?.usesUserData ? 'the user data of every pool contains the new one' : 'its refresh'
}

/** Joins copies of the same bundle. */
function bundleLines(bundles: readonly BundleFacts[]): BundleLine[] {
  const lines: BundleLine[] = []
  for (const { object, certificates, broken } of bundles) {
    const before = lines.at(-1)
    if (before && isSameSet(before.certificates, certificates)) {
      lines[lines.length - 1] = { ...before, objects: [...before.objects, object] }
    } else lines.push({ objects: [object], broken, certificates: certificateLines(certificates) })
  }
  return lines
}

function certificateLines(certificates: readonly CertificateFacts[]): CertificateLine[] {
  const last = new Set(lastOfFamilies(certificates))
  return certificates
    .map(({ fingerprint, commonName, notBefore, notAfter }, i) => {
      const hasSuccessor = !last.has(certificates[i]!)
      return { fingerprint, commonName, notBefore, notAfter, hasSuccessor }
    })
    .sort((a, b) => a.notAfter - b.notAfter)
}

function isSameSet(a: readonly CertificateFacts[], b: readonly CertificateFacts[]): boolean {
  const known = new Set(a.map(({ fingerprint }) => fingerprint))
  return known.size === b.length && b.every(({ fingerprint }) => known.has(fingerprint))
}
