import { certificateAnnotations } from '../../api/annotations.ts'
import { secrets as known, signerKeys } from '../../api/names.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustRotations } from '../../api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readCertificate } from '@machinist/pki/certificate'
import type { Authority } from '../../views/compare/facts.ts'

/** The CA in the kubelets' signer at this moment; undefined before there is one. */
export async function currentAuthority(client: KubeClient): Promise<Authority | undefined> {
  const { data } = (await ifThere(client.get(secrets, known.kubeletSigner))) ?? {}
  const encoded = data?.[signerKeys.certificate]
  if (encoded === undefined) return undefined
  const { commonName = '', fingerprint } = readCertificate(Buffer.from(encoded, 'base64'))
  return { commonName, fingerprint }
}

/** As `kubectl annotate secret … auth.openshift.io/certificate-…-` does. */
export async function takeAnnotation(
  client: KubeClient,
  which: keyof typeof certificateAnnotations,
): Promise<void> {
  const annotations = { [certificateAnnotations[which]]: null }
  await client.patch(secrets, known.kubeletSigner, mergePatch({ metadata: { annotations } }))
}

/** The object that says what becomes of the kubelets' signer. */
export async function signersRotation(client: KubeClient): Promise<TrustRotation | undefined> {
  const { namespace, name } = known.kubeletSigner
  const { items } = await client.list(trustRotations)
  return items.find(
    ({ spec: { signer } }) => signer.namespace === namespace && signer.name === name,
  )
}

/** Leaf certificates are signed by a new CA, and the old CA goes, no earlier than this long after nodes have the new one. */
export async function setNodeSettle(
  client: KubeClient,
  { metadata: { name } }: TrustRotation,
  nodeSettle: string | undefined,
): Promise<void> {
  const patch = mergePatch({ spec: { nodeSettle: nodeSettle ?? null } })
  await client.patch(trustRotations, { name }, patch)
}
