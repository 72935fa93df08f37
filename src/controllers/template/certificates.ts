import { isBase64, lenientUtf8 } from '@machinist/core/encoding/bytes'
import { timestamp } from '@machinist/core/timestamp'
import { readBundle } from '@machinist/pki/bundle'
import { nameText } from '@machinist/pki/certificate'
import type { ControllerCertificate } from '../../api/kinds/controller-config.ts'
import { certificateBundles } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'

/** Every certificate of the bundles in the spec, for the status; invalid data is skipped. */
export function certificatesOf({ spec }: ControllerConfig): ControllerCertificate[] {
  const { kubeAPIServerServingCA, cloudProviderCA, rootCA, additionalTrustBundle } =
    certificateBundles
  return [
    ...certificatesIn(spec.kubeAPIServerServingCAData, kubeAPIServerServingCA),
    ...certificatesIn(spec.cloudProviderCAData, cloudProviderCA),
    ...certificatesIn(spec.rootCAData, rootCA),
    ...certificatesIn(spec.additionalTrustBundle, additionalTrustBundle),
    ...[
      ...(spec.imageRegistryBundleData ?? []),
      ...(spec.imageRegistryBundleUserData ?? []),
    ].flatMap(({ file, data }) => certificatesIn(data, file)),
  ]
}

function certificatesIn(
  data: string | null | undefined,
  bundleFile: string,
): ControllerCertificate[] {
  if (!data || !isBase64(data)) return []
  const { bundle } = readBundle(lenientUtf8(Buffer.from(data, 'base64')))
  return [...bundle.values()].map(({ subject, issuer, notBefore, notAfter }) => ({
    subject: nameText(subject),
    signer: nameText(issuer),
    bundleFile,
    notBefore: timestamp(notBefore),
    notAfter: timestamp(notAfter),
  }))
}
