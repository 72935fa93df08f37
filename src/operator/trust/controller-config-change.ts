import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { TrustDigests } from '../../api/trust/digests.ts'
import { specDigests } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import { canonicalJson, sameJson } from '@machinist/core/json'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { ApiServerCA } from './api-server-ca.ts'
import type { TrustFields } from './fields.ts'
import { fieldsOf } from './fields.ts'

/** What differs from the ControllerConfig. Payload and digests go in one write, so that they never disagree. */
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
    ...specDigests({ ...emptySpec, ...spec }),
    ...(digest !== undefined && { [trustItems.apiServerCA]: digest }),
  }
  const said = {
    [ownControllerConfigAnnotations.trustDigests]: canonicalJson(digests),
    [annotations.serviceCARotate]: String(isRotating),
  }
  const isSaid = Object.entries(said).every(
    ([name, value]) => stored?.metadata.annotations?.[name] === value,
  )
  if (stored && isSaid && sameJson(fieldsOf(stored.spec), fields)) return undefined
  return { spec, annotations: said }
}
