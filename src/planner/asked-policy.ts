import type { ClusterDisruptionPolicies } from '../api/kinds/node-disruption-policy.ts'
import { nodePaths } from '../api/node-paths.ts'
import { sameJson } from '@machinist/core/json'
import type { Asked } from './asked.ts'
import { none, reboot } from './asked.ts'
import type { Differences } from './differences.ts'
import { defaultPolicies } from '../api/disruption-policy/defaults.ts'
import { closestRule } from '../api/disruption-policy/match.ts'
import { changedUnits } from './units.ts'
import { plain } from '@machinist/core/quoted'

/** What changes ask for by the cluster's policies. What no policy speaks of means a reboot. */
export function askedByPolicy(
  differences: Differences,
  { files = [], units = [], sshkey }: ClusterDisruptionPolicies,
): Asked[] {
  const forFile = (path: string): Asked => {
    const policy = closestRule(path, files)
    if (!policy && path === nodePaths.kubeletCA) return loadedByItself
    if (!policy) return unspokenOf(plain(path), path)
    const rule = policyRule(plain(policy.path), policy, defaultPolicies.files)
    return { actions: policy.actions, rule, because: path }
  }
  const forUnit = (name: string): Asked => {
    const policy = units.find((unit) => unit.name === name)
    if (!policy) return unspokenOf(`unit ${plain(name)}`, name)
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

/** Where certificates are rendered, a new one must not cost more than it did in the generation that did so. */
const loadedByItself: Asked = {
  actions: [none],
  rule: 'kubelets load it by themselves',
  because: nodePaths.kubeletCA,
}

const unspokenOf = (what: string, because: string): Asked => ({
  actions: [reboot],
  rule: `no policy for ${what}`,
  because,
})

function policyRule(what: string, policy: object, defaults: readonly object[]): string {
  const builtIn = defaults.some((one) => sameJson(one, policy))
  return `${builtIn ? 'default policy' : 'policy'} for ${what}`
}
