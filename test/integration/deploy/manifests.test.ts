import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RoleBinding } from '@machinist/kube/kinds/rbac'
import { stopLimits } from '@machinist/kube/stop-limits'
import { kinds } from '../../../src/api/definitions/kinds.ts'
import { describeWithKubectl } from './stage.ts'
import type { Manifest } from './manifests.ts'
import { accounts, manifestsIn, rolesOf } from './manifests.ts'
import { permissionsTable, tableUnder } from './permissions-table.ts'

interface Deployed {
  readonly spec: { template: { spec: { terminationGracePeriodSeconds?: number } } }
}

const clusterScoped = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'Namespace',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])

describeWithKubectl('the manifests', () => {
  const base = manifestsIn('')
  const systemd = manifestsIn('systemd')
  const machineAPI = manifestsIn('machine-api')
  const all = [...base, ...machineAPI]
  const rules = accounts.flatMap((account) =>
    rolesOf(account, all).flatMap(({ metadata: { namespace }, rules: given }) =>
      (given ?? []).map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
        account,
        namespace,
        verbs,
        apiGroups,
        resources,
        resourceNames,
        nonResourceURLs,
      })),
    ),
  )
  describe('deploy/', () => {
    it('contains all CustomResourceDefinitions', () => {
      const names = base
        .filter(({ kind }) => kind === 'CustomResourceDefinition')
        .map(({ metadata }) => metadata.name)
      expect(names.sort()).toEqual(
        kinds.map(({ resource: { plural, group } }) => `${plural}.${group}`).sort(),
      )
    })

    it('gives components a longer grace period than they need while the API server hangs', () => {
      const graces = base
        .filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet')
        .map((each) => {
          const { terminationGracePeriodSeconds } = (each as Manifest & Deployed).spec.template.spec
          return `${each.metadata.name}: ${terminationGracePeriodSeconds}`
        })
      expect(graces).toEqual([
        'machine-config-controller: 30',
        'machine-config-operator: 30',
        'machinist-signer: 30',
        'machine-config-daemon: 600',
        'machine-config-server: 30',
      ])
      expect(Object.values(stopLimits).reduce((sum, ms) => sum + ms, 0)).toBe(20_000)
    })

    it('sets the namespace of every object, creates each namespace that it uses, and labels all objects', () => {
      const made = base
        .filter(({ kind }) => kind === 'Namespace')
        .map(({ metadata }) => metadata.name)
      const given = new Set([...made, 'default', 'kube-system'])
      const lost = base
        .filter(({ kind }) => !clusterScoped.has(kind))
        .filter(({ metadata }) => !given.has(metadata.namespace ?? ''))
      expect(lost.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([])
      const bare = [...all, ...systemd].filter(
        ({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] !== 'machinist',
      )
      expect(bare).toEqual([])
    })

    it('binds each role only to the ServiceAccount of the same name', () => {
      const bindings = all.filter(({ kind }) => kind.endsWith('RoleBinding')) as RoleBinding[]
      for (const { metadata, roleRef, subjects } of bindings) {
        expect(subjects).toEqual([
          {
            kind: 'ServiceAccount',
            name: metadata.name,
            namespace: 'openshift-machine-config-operator',
          },
        ])
        expect(roleRef.name).toBe(metadata.name)
      }
      expect(bindings.length).toBeGreaterThan(15)
    })

    it('grants no permission that allows privilege escalation', () => {
      // New machines get tokens of this account, which may request the certificate of a kubelet only.
      const isBootstrap = ({
        account,
        resources,
        resourceNames,
      }: (typeof rules)[number]): boolean =>
        account === 'machine-config-server' &&
        resources?.join() === 'serviceaccounts/token' &&
        resourceNames?.join() === 'node-bootstrapper'
      expect(rules.filter(isBootstrap).map(({ verbs }) => verbs)).toEqual([['create']])
      const others = rules.filter((rule) => !isBootstrap(rule))
      const dangerous = others.filter(
        ({ verbs, resources = [], apiGroups = [], nonResourceURLs }) =>
          [...verbs, ...resources, ...apiGroups].includes('*') ||
          nonResourceURLs !== undefined ||
          verbs.some((verb) => ['bind', 'escalate', 'impersonate'].includes(verb)) ||
          apiGroups.includes('rbac.authorization.k8s.io') ||
          resources.some((resource) =>
            /^(serviceaccounts\/token|pods\/exec|nodes\/proxy)$/.test(resource),
          ),
      )
      expect(dangerous).toEqual([])
    })

    it('grants access to all Secrets in three namespaces only, and never cluster-wide', () => {
      const reading = rules.filter(
        ({ resources = [], verbs, resourceNames }) =>
          resources.includes('secrets') &&
          resourceNames === undefined &&
          verbs.some((verb) => verb !== 'create'),
      )
      expect(reading.map(({ account, namespace }) => `${account} in ${namespace}`)).toEqual([
        'machine-config-operator in machinist-provisioning',
        'machine-config-operator in openshift-machine-config-operator',
        'machine-config-operator in openshift-machine-api',
        'machine-config-server in machinist-provisioning',
      ])
    })

    it('lets only the controllers write MachineConfigs, Nodes and pods', () => {
      const reads = new Set(['get', 'list', 'watch'])
      const writing = rules.filter(
        ({ apiGroups = [], resources = [], verbs }) =>
          resources.some(
            (resource) =>
              /^(machineconfigs|pods)(\/|$)/.test(resource) ||
              (apiGroups.includes('') && /^nodes(\/|$)/.test(resource)),
          ) && verbs.some((verb) => !reads.has(verb)),
      )
      expect([...new Set(writing.map(({ account }) => account))]).toEqual([
        'machine-config-controller',
      ])
    })

    it('enforces every policy and fails closed, except for policies that only warn', () => {
      const warns = new Set([
        'machinist-machine-config-mistakes',
        'machinist-provisioning-token-mistakes',
      ])
      const policies = all.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
      const bindings = all.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding')
      const names = (list: typeof base): string[] =>
        list.map(({ metadata }) => metadata.name).sort()
      expect(names(bindings)).toEqual(names(policies))
      for (const { metadata, ...rest } of policies) {
        const failurePolicy = warns.has(metadata.name) ? 'Ignore' : 'Fail'
        expect(rest).toMatchObject({ spec: { failurePolicy } })
      }
      for (const { metadata, ...rest } of bindings) {
        const action = warns.has(metadata.name) ? 'Warn' : 'Deny'
        expect(rest).toMatchObject({
          spec: { policyName: metadata.name, validationActions: [action] },
        })
      }
      expect(policies).toHaveLength(9)
    })
  })

  describe('deploy/systemd', () => {
    const name = 'machine-config-daemon'
    const text = ({ kind, metadata }: (typeof base)[number]): string =>
      `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

    it('is deploy/ without pods of the daemon', () => {
      const gone = base.map(text).filter((one) => !systemd.map(text).includes(one))
      const more = systemd.map(text).filter((one) => !base.map(text).includes(one))
      const namespace = 'openshift-machine-config-operator'
      expect(gone.sort()).toEqual([
        `DaemonSet ${namespace}/${name}`,
        `ServiceAccount ${namespace}/${name}`,
      ])
      expect(more).toEqual([])
    })

    it('grants the permissions of the daemon to system:nodes', () => {
      const bindings = systemd.filter(
        ({ kind, metadata }) => kind.endsWith('RoleBinding') && metadata.name === name,
      ) as RoleBinding[]
      expect(bindings.map(({ subjects }) => subjects)).toEqual(
        bindings.map(() => [
          { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' },
        ]),
      )
      expect(bindings).toHaveLength(3)
    })
  })

  describe('docs/install.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/install.md'), 'utf8')

    it.each(accounts)('lists the permissions of %s', (account) => {
      const rows = permissionsTable(rolesOf(account, all))
      expect(tableUnder(`### Permissions of \`${account}\``, page)).toEqual(rows)
      expect(rows.length).toBeGreaterThan(1)
    })

    it('names every policy', () => {
      const documented = tableUnder('## Guards', page).map(([policy = '']) => policy)
      const names = all
        .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
        .map(({ metadata }) => `\`${metadata.name}\``)
      expect(documented.sort()).toEqual(names.sort())
    })
  })
})
