import { sameJson } from '@machinist/core/encoding/json'
import { plain } from '@machinist/core/quoted'
import type { ClusterDisruptionPolicies } from '../../api/kinds/node-disruption-policy.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Differences } from '../differences/differences.ts'
import { defaultPolicies } from '../../api/disruption-policy/defaults.ts'
import { closestRule } from '../../api/disruption-policy/match.ts'
import { changedUnits } from '../differences/units.ts'
import type { RequestedActions } from './requested.ts'
import { none, reboot } from './requested.ts'

/** The actions that the policies of the cluster require. A change without a policy requires a reboot. */
export function requestedByPolicy(
  differences: Differences,
  { files = [], units = [], sshkey }: ClusterDisruptionPolicies,
): RequestedActions[] {
  const forFile = (path: string): RequestedActions => {
    const policy = closestRule(path, files)
    if (!policy && path === nodePaths.kubeletCA) return reloadedByKubelet
    if (!policy) return withoutPolicy(plain(path), path)
    const rule = policyRule(plain(policy.path), policy, defaultPolicies.files)
    return { actions: policy.actions, rule, because: path }
  }
  const forUnit = (name: string): RequestedActions => {
    const policy = units.find((unit) => unit.name === name)
    if (!policy) return withoutPolicy(`unit ${plain(name)}`, name)
    const rule = policyRule(`unit ${plain(name)}`, policy, defaultPolicies.units)
    return { actions: policy.actions, rule, because: name }
  }
  const users = [differences.keys ?? [], differences.passwords].flat().map(({ user }) => user)
  const actions = sshkey?.actions ?? []
  return [
    ...differences.files.map(({ path }) => forFile(path)),
    ...changedUnits(differences.units, differences.dropins).map(forUnit),
    ...[...new Set(users)].map((user) => ({
      actions,
      rule: policyRule('SSH keys and passwords', { actions }, [defaultPolicies.sshkey]),
      because: user,
    })),
  ]
}

/** Rendered certificates must not cause more disruption than in the release that rendered them. */
const reloadedByKubelet: RequestedActions = {
  actions: [none],
  rule: 'the kubelet reloads it',
  because: nodePaths.kubeletCA,
}

const withoutPolicy = (what: string, because: string): RequestedActions => ({
  actions: [reboot],
  rule: `no policy for ${what}`,
  because,
})

function policyRule(what: string, policy: object, defaults: readonly object[]): string {
  const builtIn = defaults.some((one) => sameJson(one, policy))
  return `${builtIn ? 'default policy' : 'policy'} for ${what}`
}
