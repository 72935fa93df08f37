import type {
  ClusterDisruptionPolicies,
  NodeDisruptionPolicy,
} from '../kinds/node-disruption-policy.ts'
import { defaultPolicies } from './defaults.ts'

/**
 * The policies in effect: the built-in ones, overridden by the user's. An entry for the same path or unit replaces the built-in
 * entry in place; other entries are appended. The status of MachineConfiguration holds the result, and daemons read it there.
 */
export function mergePolicies(user: NodeDisruptionPolicy = {}): ClusterDisruptionPolicies {
  const sshkey = user.sshkey?.actions.length ? user.sshkey : defaultPolicies.sshkey
  return {
    files: overlaid(defaultPolicies.files, user.files ?? [], ({ path }) => path),
    units: overlaid(defaultPolicies.units, user.units ?? [], ({ name }) => name),
    sshkey: { actions: [...sshkey.actions] },
  }
}

function overlaid<T>(base: readonly T[], over: readonly T[], key: (entry: T) => string): T[] {
  const entries = new Map(base.map((entry) => [key(entry), entry]))
  for (const entry of over) entries.set(key(entry), entry)
  return [...entries.values()]
}
