import type {
  ClusterDisruptionPolicies,
  NodeDisruptionPolicy,
} from '../kinds/node-disruption-policy.ts'
import { defaultPolicies } from './defaults.ts'

/**
 * The policies in force: the built-in ones with the user's laid over them. An entry for the same path or unit replaces the
 * built-in one where it stands, others follow. This is what the status of a MachineConfiguration shows and daemons read.
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
