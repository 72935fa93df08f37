import { certificateAnnotations } from '../../api/annotations.ts'
import {
  bootstrapMark,
  configMaps as sources,
  secrets as known,
  signerKeys,
} from '../../api/names.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustRotations } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { ObjectKey } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { Bundle } from '@machinist/pki/bundle'
import { bundlePem, difference, readBundle, union } from '@machinist/pki/bundle'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { makeObject } from '../stand-ins/make-object.ts'
import type { RotationsOptions } from './rotations.ts'
import { rotationsOf, servingSigner } from './rotations.ts'

const rootLife = 3650 * 86_400_000

export interface SourcesOptions extends RotationsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** Has signed the API server's certificate until now. */
  readonly authority: KeyPair
}

/**
 * The credentials that an installer leaves in a cluster, and the CAs that are the signer's from then on: made once, and then
 * the user's to change or remove.
 */
export async function makeTrustSources(options: SourcesOptions): Promise<void> {
  const { client, clock } = options
  const mark = await ifThere(client.get(configMaps, bootstrapMark))
  if (mark?.data?.[rotations] !== undefined) return
  if (!mark) {
    await makeRoot(client, clock)
    await makePullSecret(client)
  }
  await importAuthority(options)
  for (const rotation of rotationsOf(options)) {
    await keepForeign(client, rotation)
    await makeObject(client, trustRotations, rotation)
  }
  // A cluster of before there was a signer.
  if (mark) await client.patch(configMaps, bootstrapMark, mergePatch({ data: marked }))
}

/** What `kube-system/bootstrap` says besides that the installation is over: these have been made. */
const rotations = 'rotations'
const marked = { [rotations]: 'made' }

/** To be called when the signer has published its CAs: who looks for them after this is right to miss them. */
export async function endInstallation(client: KubeClient): Promise<void> {
  const data = { status: 'complete', ...marked }
  await makeObject(client, configMaps, { metadata: bootstrapMark, data })
}

/** The signer goes on with the CA by which the API server is known already. */
async function importAuthority({ client, authority }: SourcesOptions): Promise<void> {
  const { notBefore, notAfter, commonName = '' } = readCertificate(authority.certificate)
  await makeObject(client, secrets, {
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

/** What somebody has put among published CAs would be lost: the signer publishes what it knows of. */
async function keepForeign(client: KubeClient, { spec }: TrustRotation): Promise<void> {
  const own = [await bundleIn(client, spec.bundle), await authorityIn(client, spec.signer)]
  for (const published of spec.publishedIn ?? []) {
    const foreign = difference(await bundleIn(client, published), union(...own))
    const [kept] = published.with ?? []
    if (foreign.size === 0 || !kept) continue
    const data = { [sources.kubeletClientCA.key]: bundlePem(foreign) }
    await makeObject(client, configMaps, { metadata: { ...kept }, data })
  }
}

async function bundleIn(client: KubeClient, key: ObjectKey): Promise<Bundle> {
  const found = await ifThere(client.get(configMaps, key))
  return readBundle(found?.data?.[sources.kubeletClientCA.key] ?? '').bundle
}

async function authorityIn(client: KubeClient, key: ObjectKey): Promise<Bundle> {
  const found = await ifThere(client.get(secrets, key))
  const text = Buffer.from(found?.data?.[signerKeys.certificate] ?? '', 'base64').toString()
  return readBundle(text).bundle
}

async function makeRoot(client: KubeClient, clock: Clock): Promise<void> {
  const { namespace, name, key } = sources.rootCA
  const root = await createAuthority({ name: 'root-ca', validity: validFor(clock, rootLife) })
  const data = { [key]: root.certificate }
  await makeObject(client, configMaps, { metadata: { namespace, name }, data })
}

/** For a registry that nobody asks. */
async function makePullSecret(client: KubeClient): Promise<void> {
  const { namespace, name, key } = known.pullSecret
  const auth = base64('machinist:example')
  const credentials = JSON.stringify({ auths: { 'registry.machinist.example': { auth } } })
  await makeObject(client, secrets, {
    metadata: { namespace, name },
    type: 'kubernetes.io/dockerconfigjson',
    data: { [key]: base64(credentials) },
  })
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
