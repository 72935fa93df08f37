import type { Bundle } from '@machinist/pki/bundle'
import { difference } from '@machinist/pki/bundle'
import { bootstrapMark, configMaps } from '../../../api/names.ts'
import { isKubeletSigner } from '../../../api/trust/signer-family.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { configMapIn } from '../facts/facts.ts'
import type { BundlePart } from '../bundles/bundle-part.ts'
import { requiredPart, partIn } from '../bundles/bundle-part.ts'
import { readField } from '../bundles/read-bytes.ts'
import { base64, bundleResult, isInstalled } from '../bundles/bundle-result.ts'

/**
 * The CAs by which kubelets verify clients. After the installation, exactly the bundle that the API server's operator publishes.
 * Before that, the bundle of the installer with its signer replaced by the rotated ones, because nodes start with the installer's
 * bundle. The end of the installation is final: losing its mark later removes no CA.
 */
export function kubeletClientCA(facts: TrustFacts): InputResult<string> {
  const { kubeletClientCA: published, initialKubeletClientCA, kubeletSignerBundle } = configMaps
  const current = facts.lastGood.kubeAPIServerServingCAData
  const isRequired = Boolean(current) || isInstalled(facts)
  const publishedResult = (): InputResult<string> =>
    bundleResult(requiredPart(partIn(facts, published), published, isRequired))

  const base = partIn(facts, initialKubeletClientCA)
  const isInstallationOver = configMapIn(facts, bootstrapMark).state !== 'absent'
  if (isInstallationOver || base.state === 'absent') return publishedResult()

  const early = withRotated(base, partIn(facts, kubeletSignerBundle))
  const isPublished = configMapIn(facts, published).state === 'present'
  if (isPublished && current && early.state === 'valid' && removesAny(current, early.value)) {
    return publishedResult()
  }
  return early
}

/**
 * The certificates of `base` in order, with the rotated bundle in place of the signer. Without a signer in `base`, the bundle is
 * appended; with several, it replaces the first. There are no duplicates.
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

function withRotated(base: BundlePart, rotated: BundlePart): InputResult<string> {
  if (base.state !== 'valid' || rotated.state === 'absent') return bundleResult(base)
  if (rotated.state === 'invalid') return rotated
  return { state: 'valid', value: base64(Buffer.from(replaceSigner(base.bundle, rotated.bundle))) }
}

function removesAny(current: string, next: string): boolean {
  return difference(readField(current).bundle, readField(next).bundle).size > 0
}
