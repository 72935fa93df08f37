import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { mergePatch } from '@machinist/kube/patch'
import type { KeyPair } from '@machinist/pki/issue'
import { signRequest, validFor } from '@machinist/pki/issue'

/** Signs approved certificate requests until the signal aborts, as kube-controller-manager does. */
export async function signApprovedRequests(
  client: KubeClient,
  authority: KeyPair,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { items } = await client.list(certificateSigningRequests)
    for (const request of items.filter(isWaiting)) await sign(client, authority, request)
    await pause(100)
  }
}

const isWaiting = ({ status }: Readonly<CertificateSigningRequest>): boolean =>
  status?.certificate === undefined &&
  status?.conditions?.some(({ type }) => type === 'Approved') === true

async function sign(
  client: KubeClient,
  authority: KeyPair,
  { metadata: { name }, spec }: Readonly<CertificateSigningRequest>,
): Promise<void> {
  const pem = signRequest(authority, Buffer.from(spec.request, 'base64').toString(), {
    usages: ['client'],
    validity: validFor(systemClock, 3_600_000),
  })
  const status = { certificate: Buffer.from(pem).toString('base64') }
  await client.patch(certificateSigningRequests, { name }, mergePatch({ status }), {
    subresource: 'status',
  })
}
