import { signerFamily } from '../../api/trust/signer-family.ts'
import type { ObjectKey } from '../../base/resource.ts'

/**
 * Whether a CA of this name was made for this signer. One whose name tells of another namespace was not: two signers may
 * have the same name.
 */
export function isOfFamily(commonName: string, { namespace, name }: ObjectKey): boolean {
  if (signerFamily(commonName) !== name) return false
  const madeIn = /^([a-z0-9-]+)_.+@\d+$/.exec(commonName)?.[1]
  return madeIn === undefined || madeIn === namespace
}
