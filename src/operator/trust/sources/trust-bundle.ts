import { configMaps, namespaces } from '../../../api/names.ts'
import { base64 } from '../bundles/bundle-result.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import type { BundlePart } from '../bundles/bundle-part.ts'
import { requiredPart, partIn } from '../bundles/bundle-part.ts'

/**
 * The CAs of the administrator, followed by those of the proxy. While one of them is invalid, the whole bundle stays unchanged,
 * because a partial bundle would remove trust.
 */
export function trustBundle(facts: TrustFacts): InputResult<string> {
  const { proxy } = facts
  if (proxy.type === 'invalid') return { state: 'invalid', problem: proxy.problem }
  const name = proxy.type === 'given' ? proxy.object.spec.trustedCA?.name : undefined
  const parts = [userPart(facts, name), ...(name ? proxyPart(facts, name) : [])]
  const invalid = parts.find((part) => part.state === 'invalid')
  if (invalid) return invalid
  const valid = parts.flatMap((part) => (part.state === 'valid' ? [part.bytes] : []))
  return valid.length > 0 ? { state: 'valid', value: base64(joined(valid)) } : { state: 'absent' }
}

/** Optional, unless the Proxy references it. */
function userPart(facts: TrustFacts, referenced: string | undefined): BundlePart {
  const { userCA } = configMaps
  return requiredPart(partIn(facts, userCA), userCA, referenced === userCA.name)
}

/** Required if the Proxy references it; the bundle of the administrator is not repeated. */
function proxyPart(facts: TrustFacts, name: string): BundlePart[] {
  if (name === configMaps.userCA.name) return []
  const source = { namespace: namespaces.config, name, key: configMaps.userCA.key }
  return [requiredPart(partIn(facts, source), source, true)]
}

/** Joins bundles unchanged, with a newline between them if necessary. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const pieces = parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1
    return isLast || part.at(-1) === newline ? [part] : [part, Buffer.from([newline])]
  })
  return Buffer.concat(pieces)
}

const newline = 0x0a
