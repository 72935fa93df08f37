import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../api/resources.ts'
import { quantityValue } from '@machinist/core/quantity'

/** What one or more objects say, in the form in which it is written. What is absent is left as it is on the node. */
export interface Settings {
  readonly logLevel?: string
  readonly pidsLimit?: number
  /** In bytes; 0 is as good as absent. */
  readonly logSizeMax?: bigint
  readonly overlaySize?: bigint
  readonly defaultRuntime?: string
  readonly additionalLayerStores?: readonly string[]
  readonly additionalImageStores?: readonly string[]
  readonly additionalArtifactStores?: readonly string[]
}

/** What a good object says. */
function settingsIn(object: Readonly<ContainerRuntimeConfig>): Settings {
  const said = saidIn(object)
  const paths = (field: StoreField): readonly string[] | undefined =>
    said[field]?.map(({ path }) => path)
  return withoutGaps({
    logLevel: said.logLevel || undefined,
    pidsLimit: said.pidsLimit,
    logSizeMax: said.logSizeMax === undefined ? undefined : quantityValue(said.logSizeMax),
    overlaySize: said.overlaySize === undefined ? undefined : quantityValue(said.overlaySize),
    defaultRuntime: said.defaultRuntime || undefined,
    additionalLayerStores: paths('additionalLayerStores'),
    additionalImageStores: paths('additionalImageStores'),
    additionalArtifactStores: paths('additionalArtifactStores'),
  })
}

/** All of them, the last with the last word on each field. */
export function settingsOf(objects: readonly Readonly<ContainerRuntimeConfig>[]): Settings {
  return Object.assign({}, ...objects.map(settingsIn))
}

/** Each field as JSON, so that the same amount in other words is the same. */
export function fieldsOf(object: Readonly<ContainerRuntimeConfig>): Map<string, string> {
  const text = (value: unknown): string =>
    typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
  return new Map(Object.entries(settingsIn(object)).map(([field, value]) => [field, text(value)]))
}

export type StoreField =
  'additionalLayerStores' | 'additionalImageStores' | 'additionalArtifactStores'

/** The object's fields; null is as good as absent. */
export function saidIn({ spec }: Readonly<ContainerRuntimeConfig>): ContainerRuntimeSettings {
  return withoutGaps({ ...spec.containerRuntimeConfig })
}

type WithoutGaps<T> = { [K in keyof T]: Exclude<T[K], undefined | null> }

function withoutGaps<T extends object>(fields: T): WithoutGaps<T> {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(said) as WithoutGaps<T>
}
