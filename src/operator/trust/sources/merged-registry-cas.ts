import { isUtf8 } from 'node:buffer'
import { mergePatchBetween } from '@machinist/core/objects/merge-patch'
import { referenceTo } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { certificateAnnotations } from '../../../api/annotations.ts'
import type { RegistryBundle } from '../../../api/kinds/controller-config.ts'
import { registryCAs } from '../../../api/names.ts'
import type { TrustFacts } from '../facts/facts.ts'
import { configMapIn } from '../facts/facts.ts'
import type { ConfigMapWrite } from './config-map-write.ts'

const owner = { [certificateAnnotations.owningComponent]: 'Machine Config Operator' }

/**
 * The CAs of all image registries in one ConfigMap, for other operators: those of the administrator override those of the
 * cluster. It is emptied when there are none.
 */
export function mergedRegistryCAs(
  facts: TrustFacts,
  managed: readonly RegistryBundle[],
  user: readonly RegistryBundle[],
): ConfigMapWrite | undefined {
  const desired = contentOf([...managed, ...user])
  const seen = configMapIn(facts, registryCAs.merged)
  if (seen.state === 'unknown') return undefined
  if (seen.state === 'absent') {
    if (managed.length === 0 && !isOpenShift(facts)) return undefined
    return { create: { metadata: { ...registryCAs.merged, annotations: owner }, ...desired } }
  }
  const { object } = seen
  const { data = {}, binaryData = {}, metadata } = object
  const annotations = { ...metadata.annotations, ...owner }
  const patch = mergePatchBetween(
    { data, binaryData, metadata: { annotations: metadata.annotations ?? {} } },
    { data: {}, binaryData: {}, ...desired, metadata: { annotations } },
  )
  return patch && { about: referenceTo(configMaps, object), patch }
}

/** Only OpenShift's operators read it; other clusters may not have the namespace. */
function isOpenShift({ image }: TrustFacts): boolean {
  return image.type === 'given' && image.source.kind !== configMaps.kind
}

/** UTF-8 goes into `data`, everything else into `binaryData`. */
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
