import { quantityValue } from '@machinist/core/objects/quantity'
import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'

/** The merged settings of one or more objects. Absent settings keep the value of the node. */
export interface RuntimeSettings {
  readonly logLevel?: string
  readonly pidsLimit?: number
  /** In bytes; 0 means absent. */
  readonly logSizeMax?: bigint
  readonly overlaySize?: bigint
  readonly defaultRuntime?: string
  readonly additionalLayerStores?: readonly string[]
  readonly additionalImageStores?: readonly string[]
  readonly additionalArtifactStores?: readonly string[]
}

/** The settings of a valid object. */
function settingsIn(object: Readonly<ContainerRuntimeConfig>): RuntimeSettings {
  const fields = setFields(object)
  const paths = (field: StoreField): readonly string[] | undefined =>
    fields[field]?.map(({ path }) => path)
  return withoutUnset({
    logLevel: fields.logLevel || undefined,
    pidsLimit: fields.pidsLimit,
    logSizeMax: fields.logSizeMax === undefined ? undefined : quantityValue(fields.logSizeMax),
    overlaySize: fields.overlaySize === undefined ? undefined : quantityValue(fields.overlaySize),
    defaultRuntime: fields.defaultRuntime || undefined,
    additionalLayerStores: paths('additionalLayerStores'),
    additionalImageStores: paths('additionalImageStores'),
    additionalArtifactStores: paths('additionalArtifactStores'),
  })
}

/** The settings of all objects; later objects win per field. */
export function settingsOf(objects: readonly Readonly<ContainerRuntimeConfig>[]): RuntimeSettings {
  return Object.assign({}, ...objects.map(settingsIn))
}

/** Each field as JSON; sizes are normalized, so that equal amounts compare equal. */
export function fieldsOf(object: Readonly<ContainerRuntimeConfig>): Map<string, string> {
  const text = (value: unknown): string =>
    typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
  return new Map(Object.entries(settingsIn(object)).map(([field, value]) => [field, text(value)]))
}

export type StoreField =
  'additionalLayerStores' | 'additionalImageStores' | 'additionalArtifactStores'

/** The fields that the object sets; null means absent. */
export function setFields({ spec }: Readonly<ContainerRuntimeConfig>): ContainerRuntimeSettings {
  return withoutUnset({ ...spec.containerRuntimeConfig })
}

type WithoutUnset<T> = { [K in keyof T]: Exclude<T[K], undefined | null> }

function withoutUnset<T extends object>(fields: T): WithoutUnset<T> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(set) as WithoutUnset<T>
}
