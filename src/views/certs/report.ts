import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import { lastOfFamilies, signerFamily } from '../../api/trust/signer-family.ts'
import type { BundleFacts, CertificateFacts, CertificateSecret, CertsFacts } from './facts.ts'
import { otherTrust } from './facts.ts'
import { refreshAt } from './life.ts'
import type { NodesLine } from './holders.ts'
import { holdersOf } from './holders.ts'
import type { RotationLine } from './rotations.ts'
import { rotationLines } from './rotations.ts'

/** All about one thing that is trusted: who signs, what is trusted, who is signed, who has it. */
export interface Section {
  readonly name: string
  readonly about: string
  readonly signers: readonly SecretLine[]
  readonly bundles: readonly BundleLine[]
  readonly leafs: readonly SecretLine[]
  readonly nodes?: NodesLine
}

export interface SecretLine {
  readonly object: string
  readonly issuer?: string
  readonly notBefore?: number
  readonly notAfter?: number
  readonly refresh?: number
  readonly note?: string
  /** Of a signer that Machinist rotates. */
  readonly rotation?: RotationLine
}

export interface BundleLine {
  /** Those that hold the same, in the order in which it is handed on. */
  readonly objects: readonly string[]
  readonly broken: number
  readonly certificates: readonly CertificateLine[]
}

export interface CertificateLine extends CertificateFacts {
  /** Its successor is in the bundle. */
  readonly isEarlier: boolean
}

const abouts: Readonly<Record<string, string>> = {
  [trustItems.kubeletClientCA]: 'those whom kubelets let in',
  [trustItems.apiServerCA]: 'by which kubelets know the API server',
  [trustItems.cloudCA]: 'by which nodes know the cloud',
  [trustItems.registryCAs]: 'by which nodes know image registries',
  [trustItems.pullSecret]: 'credentials for the image registry of the cluster',
  [otherTrust.configServer]: 'by which new machines know the config server',
  [otherTrust.user]: "the administrator's own CAs",
  [otherTrust.other]: 'not trusted by nodes',
}

/** Pure: what there is, by what it is for. Parts of which nothing is known are left out. */
export function sectionsOf(facts: CertsFacts): Section[] {
  const left = new Set(facts.secrets)
  const rotations = rotationLines(facts.rotations ?? [])
  return Object.keys(abouts).flatMap((name) => {
    const bundles = facts.bundles.filter(({ of }) => of === name)
    const claimed = name === otherTrust.other ? [...left] : claimedBy(name, bundles, left)
    for (const secret of claimed) left.delete(secret)
    const nodes = isItem(name) ? holdersOf(facts, name) : undefined
    const isEmpty = bundles.length === 0 && claimed.length === 0 && !nodes
    if (isEmpty) return []
    const signers = claimed.filter(({ type }) => type === 'signer')
    const leafs = claimed.filter(({ type }) => type === 'target')
    return [
      {
        name,
        about: abouts[name]!,
        signers: signers.map((each) => ({ ...secretLine(each), ...rotationOf(each, rotations) })),
        bundles: bundleLines(bundles),
        leafs: leafs.map((leaf) => secretLine(leaf, leafNote(leaf, signers, bundles, rotations))),
        ...(nodes && { nodes }),
      },
    ]
  })
}

const isItem = (name: string): name is TrustItem => Object.values<string>(trustItems).includes(name)

/** Signers whose family is in a bundle, and what they signed. */
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
    // Nobody annotates the one of the config server before it is rotated.
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
  const isOfNow = signers.some((signer) => signer.issuer === issuer)
  const successor = signers.find(
    (signer) => signerFamily(signer.issuer ?? '') === signerFamily(issuer),
  )
  if (isOfNow || !successor) return undefined
  const isAwaited = rotations.get(successor.object)?.trustedBy !== undefined
  const until = isAwaited ? 'every node trusts the new one' : 'its refresh'
  return `signed by an earlier signer until ${until}`
}

/** What is only handed on is shown once. */
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
      const isEarlier = !last.has(certificates[i]!)
      return { fingerprint, commonName, notBefore, notAfter, isEarlier }
    })
    .sort((a, b) => a.notAfter - b.notAfter)
}

function isSameSet(a: readonly CertificateFacts[], b: readonly CertificateFacts[]): boolean {
  const known = new Set(a.map(({ fingerprint }) => fingerprint))
  return known.size === b.length && b.every(({ fingerprint }) => known.has(fingerprint))
}
