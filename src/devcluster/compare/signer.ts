import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readCertificate } from '@machinist/pki/certificate'
import { certificateAnnotations } from '../../api/annotations.ts'
import { secrets as known, signerKeys } from '../../api/names.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import type { ComparedAuthority } from '../../views/compare/facts.ts'

/** The current CA of the kubelet client signer; undefined before there is one. */
export async function currentAuthority(client: KubeClient): Promise<ComparedAuthority | undefined> {
  const { data } = (await ignoreNotFound(client.get(secrets, known.kubeletSigner))) ?? {}
  const encoded = data?.[signerKeys.certificate]
  if (encoded === undefined) return undefined
  const { commonName = '', fingerprint } = readCertificate(Buffer.from(encoded, 'base64'))
  return { commonName, fingerprint }
}

/** Like `kubectl annotate secret … auth.openshift.io/certificate-…-`. */
export async function removeAnnotation(
  client: KubeClient,
  which: keyof typeof certificateAnnotations,
): Promise<void> {
  const annotations = { [certificateAnnotations[which]]: null }
  await client.patch(secrets, known.kubeletSigner, mergePatch({ metadata: { annotations } }))
}

/** The TrustRotation of the kubelet client signer. */
export async function findSignerRotation(client: KubeClient): Promise<TrustRotation | undefined> {
  const { namespace, name } = known.kubeletSigner
  const { items } = await client.list(trustRotations)
  return items.find(
    ({ spec: { signer } }) => signer.namespace === namespace && signer.name === name,
  )
}

/** Sets how long nodes must have the new CA before it signs and the old CA is removed. */
export async function setNodeSettle(
  client: KubeClient,
  { metadata: { name } }: TrustRotation,
  nodeSettle: string | undefined,
): Promise<void> {
  const patch = mergePatch({ spec: { nodeSettle: nodeSettle ?? null } })
  await client.patch(trustRotations, { name }, patch)
}
