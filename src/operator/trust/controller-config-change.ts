import { canonicalJson, sameJson } from '@machinist/core/encoding/json'
import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TrustDigests } from '../../api/trust/digests.ts'
import { specDigests } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ApiServerCA } from './sources/api-server-ca.ts'
import type { TrustFields } from './facts/fields.ts'
import { fieldsOf } from './facts/fields.ts'

/** The change to the ControllerConfig; undefined if nothing differs. Payload and digests are one write, so they always agree. */
export function controllerConfigChange(
  stored: Readonly<ControllerConfig> | undefined,
  fields: TrustFields,
  { digest, isRotating }: ApiServerCA,
): ControllerConfigChange | undefined {
  const spec = {
    ...fields,
    imageRegistryBundleData: [...fields.imageRegistryBundleData],
    imageRegistryBundleUserData: [...fields.imageRegistryBundleUserData],
  }
  const digests: TrustDigests = {
    ...specDigests({ ...emptyControllerConfigSpec, ...spec }),
    ...(digest !== undefined && { [trustItems.apiServerCA]: digest }),
  }
  const desired = {
    [ownControllerConfigAnnotations.trustDigests]: canonicalJson(digests),
    [annotations.serviceCARotate]: String(isRotating),
  }
  const isCurrent = Object.entries(desired).every(
    ([name, value]) => stored?.metadata.annotations?.[name] === value,
  )
  if (stored && isCurrent && sameJson(fieldsOf(stored.spec), fields)) return undefined
  return { spec, annotations: desired }
}
