import { certificateAnnotations } from '../../api/annotations.ts'
import type { DataSource } from '../../api/names.ts'
import { bootstrapMark, configMaps as sources, secrets as known } from '../../api/names.ts'
import type { Clock } from '../../base/clock.ts'
import type { ObjectKey } from '../../base/resource.ts'
import { timestamp } from '../../base/timestamp.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isNotFound } from '../../kube/failure.ts'
import { configMaps, secrets } from '../../kube/kinds/core.ts'
import type { KeyPair } from '../../pki/issue.ts'
import { createAuthority, validFor } from '../../pki/issue.ts'
import { makeObject } from './make-object.ts'

const day = 86_400_000
/** As long as OpenShift's signer of the same name. */
const signerLife = 365 * day
const rootLife = 3650 * day

export interface SourcesOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** PEM of the CA by which clients know the API server. */
  readonly apiCA: string
}

/**
 * The certificates and credentials that an installer leaves in a cluster, made once: from then on they are the user's to
 * rotate, break or remove. The bootstrap mark comes last, and says that all of them have been made.
 */
export async function makeTrustSources({ client, clock, apiCA }: SourcesOptions): Promise<void> {
  if (await isThere(client, bootstrapMark)) return
  const signer = await signerOf(client, clock)
  const root = await createAuthority({ name: 'root-ca', validity: validFor(clock, rootLife) })
  const bundles: readonly [DataSource, string][] = [
    [sources.kubeletSignerBundle, signer],
    [sources.kubeletClientCA, signer],
    [sources.apiServerCA, apiCA],
    [sources.rootCA, root.certificate],
  ]
  for (const [{ namespace, name, key }, bundle] of bundles) {
    await makeObject(client, configMaps, { metadata: { namespace, name }, data: { [key]: bundle } })
  }
  await makePullSecret(client)
  await makeObject(client, configMaps, { metadata: bootstrapMark, data: { status: 'complete' } })
}

/** The certificate of the authority that signs the API server's certificate towards kubelets; made if it is not there. */
async function signerOf(client: KubeClient, clock: Clock): Promise<string> {
  const { namespace, name } = known.kubeletSigner
  const validity = validFor(clock, signerLife)
  const made = await createAuthority({ name: `${name}@1`, validity })
  await makeObject(client, secrets, {
    metadata: {
      namespace,
      name,
      annotations: {
        [certificateAnnotations.notBefore]: timestamp(validity.from),
        [certificateAnnotations.notAfter]: timestamp(validity.until),
        [certificateAnnotations.issuer]: `${name}@1`,
      },
    },
    type: 'kubernetes.io/tls',
    data: tlsData(made),
  })
  const kept = await client.get(secrets, { namespace, name })
  return Buffer.from(kept.data?.['tls.crt'] ?? '', 'base64').toString()
}

/** For a registry that nobody asks. */
async function makePullSecret(client: KubeClient): Promise<void> {
  const { namespace, name, key } = known.pullSecret
  const auth = Buffer.from('machinist:example').toString('base64')
  const credentials = JSON.stringify({ auths: { 'registry.machinist.example': { auth } } })
  await makeObject(client, secrets, {
    metadata: { namespace, name },
    type: 'kubernetes.io/dockerconfigjson',
    data: { [key]: Buffer.from(credentials).toString('base64') },
  })
}

const tlsData = ({ certificate, key }: KeyPair): Record<string, string> => ({
  'tls.crt': Buffer.from(certificate).toString('base64'),
  'tls.key': Buffer.from(key).toString('base64'),
})

/** As Kubernetes writes it: without milliseconds. */

async function isThere(client: KubeClient, key: ObjectKey): Promise<boolean> {
  try {
    await client.getMetadata(configMaps, key)
    return true
  } catch (error) {
    if (!isNotFound(error)) throw error
    return false
  }
}
