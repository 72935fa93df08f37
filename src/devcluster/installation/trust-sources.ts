import type { Clock } from '@machinist/core/clock'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { Bundle } from '@machinist/pki/bundle'
import { bundlePem, difference, readBundle, union } from '@machinist/pki/bundle'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { certificateAnnotations } from '../../api/annotations.ts'
import {
  bootstrapMark,
  configMaps as sources,
  secrets as known,
  signerKeys,
} from '../../api/names.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import { createIfMissing } from '../objects/create-object.ts'
import type { DevclusterRotationsOptions } from './rotations.ts'
import { defaultRotations, servingSigner } from './rotations.ts'

const rootLife = 3650 * 86_400_000

export interface SourcesOptions extends DevclusterRotationsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** The CA that signed the current certificate of the API server. */
  readonly authority: KeyPair
}

/**
 * Creates the credentials of an installer and the TrustRotations of the signer. They are created once; afterwards the user can
 * change or remove them.
 */
export async function createTrustSources(options: SourcesOptions): Promise<void> {
  const { client, clock } = options
  const mark = await ignoreNotFound(client.get(configMaps, bootstrapMark))
  if (mark?.data?.[rotations] !== undefined) return
  if (!mark) {
    await createRootCA(client, clock)
    await createPullSecret(client)
  }
  await importAuthority(options)
  for (const rotation of defaultRotations(options)) {
    await keepForeign(client, rotation)
    await createIfMissing(client, trustRotations, rotation)
  }
  // A cluster from before the signer existed.
  if (mark) await client.patch(configMaps, bootstrapMark, mergePatch({ data: marked }))
}

/** Key in `kube-system/bootstrap` that records that the TrustRotations were created. */
const rotations = 'rotations'
const marked = { [rotations]: 'made' }

/** Call it when the signer has published its CAs: from then on, missing CAs are an error. */
export async function completeInstallation(client: KubeClient): Promise<void> {
  const data = { status: 'complete', ...marked }
  await createIfMissing(client, configMaps, { metadata: bootstrapMark, data })
}

/** The signer continues with the CA that already signs the API server's certificate. */
async function importAuthority({ client, authority }: SourcesOptions): Promise<void> {
  const { notBefore, notAfter, commonName = '' } = readCertificate(authority.certificate)
  await createIfMissing(client, secrets, {
    metadata: {
      ...servingSigner,
      annotations: {
        [certificateAnnotations.notBefore]: timestamp(notBefore),
        [certificateAnnotations.notAfter]: timestamp(notAfter),
        [certificateAnnotations.issuer]: commonName,
      },
    },
    type: 'kubernetes.io/tls',
    data: {
      [signerKeys.certificate]: base64(authority.certificate),
      [signerKeys.key]: base64(authority.key),
    },
  })
}

/** Keeps published CAs of other writers, which the signer would otherwise remove. */
async function keepForeign(client: KubeClient, { spec }: TrustRotation): Promise<void> {
  const own = [await bundleIn(client, spec.bundle), await authorityIn(client, spec.signer)]
  for (const published of spec.publishedIn ?? []) {
    const foreign = difference(await bundleIn(client, published), union(...own))
    const [kept] = published.with ?? []
    if (foreign.size === 0 || !kept) continue
    const data = { [sources.kubeletClientCA.key]: bundlePem(foreign) }
    await createIfMissing(client, configMaps, { metadata: { ...kept }, data })
  }
}

async function bundleIn(client: KubeClient, key: ObjectKey): Promise<Bundle> {
  const found = await ignoreNotFound(client.get(configMaps, key))
  return readBundle(found?.data?.[sources.kubeletClientCA.key] ?? '').bundle
}

async function authorityIn(client: KubeClient, key: ObjectKey): Promise<Bundle> {
  const found = await ignoreNotFound(client.get(secrets, key))
  const text = Buffer.from(found?.data?.[signerKeys.certificate] ?? '', 'base64').toString()
  return readBundle(text).bundle
}

async function createRootCA(client: KubeClient, clock: Clock): Promise<void> {
  const { namespace, name, key } = sources.rootCA
  const root = await createAuthority({ name: 'root-ca', validity: validFor(clock, rootLife) })
  const data = { [key]: root.certificate }
  await createIfMissing(client, configMaps, { metadata: { namespace, name }, data })
}

/** Credentials of a registry that does not exist. */
async function createPullSecret(client: KubeClient): Promise<void> {
  const { namespace, name, key } = known.pullSecret
  const auth = base64('machinist:example')
  const credentials = JSON.stringify({ auths: { 'registry.machinist.example': { auth } } })
  await createIfMissing(client, secrets, {
    metadata: { namespace, name },
    type: 'kubernetes.io/dockerconfigjson',
    data: { [key]: base64(credentials) },
  })
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
