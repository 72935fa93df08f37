import { configMaps, namespaces } from '../../api/names.ts'
import { base64 } from './bundle-verdict.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import type { Part } from './part.ts'
import { neededPart, partIn } from './part.ts'

/**
 * The administrator's CAs and then the proxy's. Each has to be good by itself; while one is not, all of it stays as it
 * was, because half a bundle would take trust away.
 */
export function trustBundle(facts: TrustFacts): Verdict<string> {
  const { proxy } = facts
  if (proxy.is === 'bad') return { state: 'bad', problem: proxy.problem }
  const name = proxy.is === 'given' ? proxy.object.spec.trustedCA?.name : undefined
  const parts = [userPart(facts, name), ...(name ? proxyPart(facts, name) : [])]
  const bad = parts.find((part) => part.state === 'bad')
  if (bad) return bad
  const good = parts.flatMap((part) => (part.state === 'good' ? [part.bytes] : []))
  return good.length > 0 ? { state: 'good', value: base64(joined(good)) } : { state: 'absent' }
}

/** There may be none, unless the Proxy names it. */
function userPart(facts: TrustFacts, named: string | undefined): Part {
  const { userCA } = configMaps
  return neededPart(partIn(facts, userCA), userCA, named === userCA.name)
}

/** What the Proxy names has to be there; the administrator's counts once. */
function proxyPart(facts: TrustFacts, name: string): Part[] {
  if (name === configMaps.userCA.name) return []
  const source = { namespace: namespaces.config, name, key: configMaps.userCA.key }
  return [neededPart(partIn(facts, source), source, true)]
}

/** Unchanged, but never with the end of one and the beginning of the next on the same line. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const pieces = parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1
    return isLast || part.at(-1) === newline ? [part] : [part, Buffer.from([newline])]
  })
  return Buffer.concat(pieces)
}

const newline = 0x0a
