import { isUtf8 } from 'node:buffer'
import { certificateAnnotations } from '../../api/annotations.ts'
import type { RegistryBundle } from '../../api/kinds/controller-config.ts'
import { registryCAs } from '../../api/names.ts'
import { mergePatchBetween } from '@machinist/core/merge-patch'
import { referenceTo } from '@machinist/core/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { ConfigMapWrite } from './config-map-write.ts'
import type { TrustFacts } from './facts.ts'
import { configMapIn } from './facts.ts'

const owner = { [certificateAnnotations.owningComponent]: 'Machine Config Operator' }

/**
 * The CAs of all image registries in one ConfigMap, for other operators: the administrator's come before the cluster's
 * own. It is emptied when there are none any more.
 */
export function mergedRegistryCAs(
  facts: TrustFacts,
  managed: readonly RegistryBundle[],
  user: readonly RegistryBundle[],
): ConfigMapWrite | undefined {
  const wanted = contentOf([...managed, ...user])
  const seen = configMapIn(facts, registryCAs.merged)
  if (seen.state === 'unknown') return undefined
  if (seen.state === 'absent') {
    if (managed.length === 0 && !isOpenShift(facts)) return undefined
    return { create: { metadata: { ...registryCAs.merged, annotations: owner }, ...wanted } }
  }
  const { object } = seen
  const { data = {}, binaryData = {}, metadata } = object
  const annotations = { ...metadata.annotations, ...owner }
  const patch = mergePatchBetween(
    { data, binaryData, metadata: { annotations: metadata.annotations ?? {} } },
    { data: {}, binaryData: {}, ...wanted, metadata: { annotations } },
  )
  return patch && { about: referenceTo(configMaps, object), patch }
}

/** Only there do others look for it; elsewhere there may be no such namespace. */
function isOpenShift({ image }: TrustFacts): boolean {
  return image.is === 'given' && image.source.kind !== configMaps.kind
}

/** Text where it is text, as people expect to find it. */
function contentOf(bundles: readonly RegistryBundle[]): Pick<ConfigMap, 'data' | 'binaryData'> {
  const content = new Map(bundles.map(({ file, data }) => [file, Buffer.from(data, 'base64')]))
  const texts = [...content].filter(([, bytes]) => isUtf8(bytes))
  const others = [...content].filter(([, bytes]) => !isUtf8(bytes))
  return {
    ...(texts.length > 0 && {
      data: Object.fromEntries(texts.map(([file, bytes]) => [file, bytes.toString('utf8')])),
    }),
    ...(others.length > 0 && {
      binaryData: Object.fromEntries(
        others.map(([file, bytes]) => [file, bytes.toString('base64')]),
      ),
    }),
  }
}
