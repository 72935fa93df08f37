import { bootstrapMark, configMaps } from '../../api/names.ts'
import { isKubeletSigner } from '../../api/trust/signer-family.ts'
import type { Bundle } from '@machinist/pki/bundle'
import { difference } from '@machinist/pki/bundle'
import type { TrustFacts, Verdict } from './facts.ts'
import { configMapIn } from './facts.ts'
import type { Part } from './part.ts'
import { neededPart, partIn } from './part.ts'
import { readField } from './read-bytes.ts'
import { base64, bundleVerdict, isInstalled } from './bundle-verdict.ts'

/**
 * Whom kubelets trust as callers. Once the installation is over, exactly what the API server's operator publishes, byte by
 * byte. Before that, what the installer left, with its signer replaced by the rotated ones: nodes begin with what the
 * installer gave them. The end of the installation is final: a mark that is lost later takes no CA away.
 */
export function kubeletClientCA(facts: TrustFacts): Verdict<string> {
  const { kubeletClientCA: published, initialKubeletClientCA, kubeletSignerBundle } = configMaps
  const current = facts.lastGood.kubeAPIServerServingCAData
  const isNeeded = Boolean(current) || isInstalled(facts)
  const steady = (): Verdict<string> =>
    bundleVerdict(neededPart(partIn(facts, published), published, isNeeded))

  const base = partIn(facts, initialKubeletClientCA)
  const isOver = configMapIn(facts, bootstrapMark).state !== 'absent'
  if (isOver || base.state === 'absent') return steady()

  const early = withRotated(base, partIn(facts, kubeletSignerBundle))
  const isPublished = configMapIn(facts, published).state === 'here'
  if (isPublished && current && early.state === 'good' && takesAway(current, early.value)) {
    return steady()
  }
  return early
}

/**
 * The certificates of `base` in their order, with the rotated bundle in the place of the signer. Without a signer in
 * `base` it comes at the end, with several it comes once; no certificate is there twice.
 */
export function replaceSigner(base: Bundle, rotated: Bundle): string {
  const certificates = [...base.values()]
  const place = certificates.findIndex(({ commonName }) => isKubeletSigner(commonName ?? ''))
  const at = place < 0 ? certificates.length : place
  const kept = (some: typeof certificates): typeof certificates =>
    some.filter(
      ({ commonName, fingerprint }) =>
        !isKubeletSigner(commonName ?? '') && !rotated.has(fingerprint),
    )
  const merged = [
    ...kept(certificates.slice(0, at)),
    ...rotated.values(),
    ...kept(certificates.slice(at)),
  ]
  return merged.map(({ pem }) => pem).join('')
}

function withRotated(base: Part, rotated: Part): Verdict<string> {
  if (base.state !== 'good' || rotated.state === 'absent') return bundleVerdict(base)
  if (rotated.state === 'bad') return rotated
  return { state: 'good', value: base64(Buffer.from(replaceSigner(base.bundle, rotated.bundle))) }
}

function takesAway(current: string, next: string): boolean {
  return difference(readField(current).bundle, readField(next).bundle).size > 0
}
