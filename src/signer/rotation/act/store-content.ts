import type { ObjectKey, ObjectMeta } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { ownSignerAnnotations } from '../../../api/annotations.ts'
import { certificateTypes } from '../../../api/labels.ts'
import type { MetadataChange } from '../facts/certificate-metadata.ts'
import { withCertificateMetadata } from '../facts/certificate-metadata.ts'
import { bundleKey } from '../facts/read-bundle.ts'
import type { StoreContext } from './store.ts'
import { store } from './store.ts'

/** Undefined values are removed from the Secret; other keys stay. */
export type SecretText = Readonly<Record<string, string | undefined>>

export async function storeSecret(
  object: Readonly<Secret> | undefined,
  key: ObjectKey,
  text: SecretText,
  context: StoreContext,
  change: MetadataChange,
): Promise<Secret> {
  const changed = Object.entries(text).flatMap(([at, value]) =>
    value === undefined ? [] : [[at, Buffer.from(value).toString('base64')]],
  )
  const kept = Object.entries(object?.data ?? {}).filter(([at]) => !Object.hasOwn(text, at))
  const metadata = withCertificateMetadata(objectMetadata(object?.metadata, key), change)
  // A new certificate completes a request to rotate back.
  const data = Object.fromEntries([...kept, ...changed]) as Record<string, string>
  const written = {
    ...(object ?? { type: 'kubernetes.io/tls' }),
    metadata: change.certificate ? withoutRequest(metadata) : metadata,
    data,
  }
  return await store(secrets, written, object, context)
}

export async function storeText(
  object: Readonly<ConfigMap> | undefined,
  key: ObjectKey,
  text: string,
  context: StoreContext,
  annotations: Readonly<Record<string, string>> = {},
): Promise<ConfigMap> {
  const { [bundleKey]: _, ...binaryData } = object?.binaryData ?? {}
  const { binaryData: __, ...others } = object ?? {}
  const metadata = withCertificateMetadata(objectMetadata(object?.metadata, key), {
    type: certificateTypes.bundle,
  })
  const written = {
    ...others,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    data: { ...object?.data, [bundleKey]: text },
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
  }
  return await store(configMaps, written, object, context)
}

const objectMetadata = (
  metadata: Readonly<ObjectMeta> | undefined,
  { namespace, name }: ObjectKey,
): ObjectMeta => metadata ?? { namespace: namespace!, name }

function withoutRequest(metadata: ObjectMeta): ObjectMeta {
  const { [ownSignerAnnotations.rotateBack]: _, ...annotations } = metadata.annotations ?? {}
  return { ...metadata, annotations }
}
