import type { ControllerCertificate } from '../../api/kinds/controller-config.ts'
import { certificateBundles } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { isBase64, lenientUtf8 } from '../../base/bytes.ts'
import { eventTime } from '../../kube/events/event-text.ts'
import { readBundle } from '../../pki/bundle.ts'

/** Every certificate of the bundles in the spec, as the status lists them; what cannot be read is left out. */
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
    subject: oneLine(subject),
    signer: oneLine(issuer),
    bundleFile,
    notBefore: eventTime(notBefore),
    notAfter: eventTime(notAfter),
  }))
}

/** `CN=root-ca,OU=openshift`: the most particular first, as RFC 4514 has it. */
function oneLine(name: string): string {
  return name
    .split('\n')
    .filter((part) => part !== '')
    .reverse()
    .join(',')
}
