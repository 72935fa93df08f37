import type { ObjectKey } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { Certificate } from '@machinist/pki/certificate'
import { readCertificate } from '@machinist/pki/certificate'
import type { TrustRotation, TrustRotationStatus } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import type { Shown } from './caller.ts'
import { certificatesIn } from './inspection.ts'

/* What users do with a rotation, through the API only. */

export async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create(namespaces, { metadata: { name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

/** As `oc annotate` does; null removes an annotation. */
export async function annotate(
  client: KubeClient,
  secret: ObjectKey,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  await client.patch(secrets, secret, mergePatch({ metadata: { annotations } }))
}

/** The documented way to rotate a signer. */
export async function rotate(client: KubeClient, secret: ObjectKey): Promise<void> {
  await annotate(client, secret, { 'auth.openshift.io/certificate-not-after': null })
}

/** Takes effect only while this CA is the current one. */
export async function rotateBack(
  client: KubeClient,
  secret: ObjectKey,
  fingerprint: string,
): Promise<void> {
  await annotate(client, secret, { 'machinist.dev/rotate-back': fingerprint })
}

export async function statusOf(client: KubeClient, name: string): Promise<TrustRotationStatus> {
  const { status }: TrustRotation = await client.get(trustRotations, { name })
  return status ?? {}
}

/** Whether the rotation is completed. */
export async function isCompleted(client: KubeClient, name: string): Promise<boolean> {
  return (await statusOf(client, name)).phase === 'Completed'
}

/** The pair in a Secret; undefined as long as there is none. */
export async function pairIn(client: KubeClient, key: ObjectKey): Promise<Shown | undefined> {
  const found = await client.get(secrets, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  const { 'tls.crt': certificate, 'tls.key': secret } = found?.data ?? {}
  if (certificate === undefined || secret === undefined) return undefined
  return { certificate: plain(certificate), key: plain(secret) }
}

/** The first certificate in a Secret. */
export async function certificateIn(
  client: KubeClient,
  key: ObjectKey,
): Promise<Certificate | undefined> {
  const pair = await pairIn(client, key)
  return pair && readCertificate(pair.certificate)
}

/** The common name of the issuer of the certificate in a Secret. */
export async function issuerIn(client: KubeClient, key: ObjectKey): Promise<string | undefined> {
  return /CN=(.*)/.exec((await certificateIn(client, key))?.issuer ?? '')?.[1]
}

/** Common names of all CAs in a ConfigMap. */
export async function authoritiesIn(client: KubeClient, key: ObjectKey): Promise<string[]> {
  const { data } = await client.get(configMaps, key)
  return commonNames(data?.['ca-bundle.crt'] ?? '')
}

export const commonNames = (text: string): string[] =>
  certificatesIn(text).map((pem) => readCertificate(pem).commonName!)

const plain = (base64: string): string => Buffer.from(base64, 'base64').toString()
