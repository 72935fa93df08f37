import { sameJson } from '@machinist/core/encoding/json'
import type { TrustRotation, TrustRotationSpec } from '../../api/kinds/trust-rotation.ts'
import { managedByOperator } from '../../api/labels.ts'
import { configMaps, names, secrets, userDataRecord } from '../../api/names.ts'

/** As in MCO: new machines may have been installed with the CA long ago. */
const lifetime = { validity: '87600h', refresh: '70080h' } as const
/** The name in the certificate of OpenShift's installer. Host names may be too long for a common name. */
const commonName = 'system:machine-config-server'
const { serverCA: signer, serverTLS: target } = secrets
const { namespace, name } = configMaps.serverCA
const bundle = { namespace, name }

/** The TrustRotation of the machine config server with these host names. */
export function serverRotation(hostnames: readonly string[]): TrustRotation {
  return {
    metadata: {
      name: names.serverRotation,
      labels: { [managedByOperator.key]: managedByOperator.value },
    },
    spec: {
      signer: { ...signer, ...lifetime },
      bundle,
      targets: [{ ...target, ...lifetime, usage: 'server', commonName, hostnames: [...hostnames] }],
      // Explicit, so that users see what they can change.
      userData: { ...userDataRecord, settle: '168h' },
      leafSettle: '24h',
    },
  }
}

/**
 * The spec with the objects and host names that the config server needs. Lifetimes, settle times and everything else stay as
 * users set them. Undefined if the spec has them.
 */
export function specWith(
  found: Readonly<TrustRotationSpec>,
  hostnames: readonly string[],
): TrustRotationSpec | undefined {
  const isTarget = (each: { readonly namespace: string; readonly name: string }): boolean =>
    each.namespace === target.namespace && each.name === target.name
  const targets = found.targets ?? []
  const before = targets.find(isTarget)
  if (!before && hostnames.length === 0) return undefined
  const names = hostnames.length > 0 ? { hostnames: [...hostnames] } : {}
  const spec: TrustRotationSpec = {
    ...found,
    signer: { ...found.signer, ...signer },
    bundle,
    targets: [
      { ...(before ?? lifetime), ...target, usage: 'server', commonName, ...names },
      ...targets.filter((each) => !isTarget(each)),
    ],
    userData: { ...found.userData, ...userDataRecord },
  }
  return sameJson(spec, found) ? undefined : spec
}

/** Whether the TrustRotation manages a certificate or bundle of the config server. */
export function isOfServer({ spec }: Readonly<TrustRotation>): boolean {
  const is = (a: Place = {}, b: Place): boolean => a.namespace === b.namespace && a.name === b.name
  return (
    is(spec?.signer, signer) ||
    is(spec?.bundle, bundle) ||
    (spec?.targets ?? []).some((each) => is(each, target))
  )
}

interface Place {
  readonly namespace?: string
  readonly name?: string
}
