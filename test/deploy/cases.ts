import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machineConfigPools, machineConfigurations, nodeTrusts } from '../../src/api/resources.ts'
import { messageOf } from '../../src/base/errors.ts'
import type { KubeObject } from '../../src/base/resource.ts'
import { keyOf } from '../../src/base/resource.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { apply } from '../../src/kube/patch.ts'
import { ifThere } from '../../src/kube/failure.ts'
import { customResourceDefinitions } from '../../src/kube/kinds/apiextensions.ts'
import * as admission from '../../src/kube/kinds/admission.ts'
import * as apps from '../../src/kube/kinds/apps.ts'
import * as core from '../../src/kube/kinds/core.ts'
import { podDisruptionBudgets } from '../../src/kube/kinds/policy.ts'
import * as rbac from '../../src/kube/kinds/rbac.ts'
import { Machine } from '../daemon/cluster/machine.ts'
import { config, quietFile } from '../daemon/follow/facts.ts'
import { bystanders } from './bystanders.ts'
import { clientAs } from './deed.ts'
import { manifestsIn } from './manifests.ts'
import { inWords } from './recorded.ts'
import { change, refusal, refusedAttempts } from './refused.ts'
import type { Stage } from './stage.ts'
import { folder, kubectlProgram } from './stage.ts'

/** What has to hold on every API server, test after test on the same one. */
export function deployCases(
  start: () => Promise<Stage>,
  story: (stage: () => Stage) => void = () => {},
  end: (stage: () => Stage) => void = () => {},
): void {
  let started: Stage | undefined
  const stage = (): Stage => started!
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started?.stop())

  it('is applied with kubectl, and a second time nothing changes', async () => {
    const { kubectl } = stage()
    const everything = ['-k', folder('')]
    const first = lines(await kubectl('apply', ...everything))
    expect(first.length).toBeGreaterThan(80)
    expect(first.filter((line) => !line.endsWith(' created'))).toEqual([])
    const before = await versionsIn(stage())
    expect(before).toHaveLength(first.length)
    // kubectl calls some of them configured although it has nothing new to say.
    const second = lines(await kubectl('apply', ...everything))
    expect(second.filter((line) => !/ (?:unchanged|configured)$/.test(line))).toEqual([])
    expect(await versionsIn(stage())).toEqual(before)
  })

  story(stage)

  describe('guards', () => {
    bystanders(stage)
    refusedAttempts(stage)
    guardCases(stage)
    systemdCases(stage)
  })
  end(stage)
}

/** The commands of docs/install.md. To be called last. */
export function uninstalling(stage: () => Stage): void {
  it('is uninstalled as it is written', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/install.md'), 'utf8')
    const commands = /^## Uninstalling$.*?^```sh\n(.*?)^```$/ms.exec(page)![1]!
    const { kubeconfig } = stage()
    const path = `${dirname(kubectlProgram())}:${process.env['PATH']}`
    const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig }
    await promisify(execFile)('sh', ['-euc', commands], { env })
    const left = await versionsIn(stage())
    expect(left.filter((line) => !line.startsWith('Namespace '))).toEqual([])
    const kinds = (await stage().client.list(customResourceDefinitions)).items
    expect(kinds.filter(({ metadata }) => /machine|trust|drain/.test(metadata.name))).toEqual([])
  })
}

/** `ClusterRole machinist-view 123`, for all that is applied. What has a generation may be told how it is meanwhile. */
async function versionsIn({ client }: Stage): Promise<string[]> {
  const all = applied.map(async (resource) => {
    const { items } = await client.listMetadata(resource, {
      labels: 'app.kubernetes.io/part-of=machinist',
    })
    return items.map(
      ({ metadata }) =>
        `${resource.kind} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.generation ?? metadata.resourceVersion}`,
    )
  })
  return (await Promise.all(all)).flat().sort()
}

const applied = [
  admission.validatingAdmissionPolicies,
  admission.validatingAdmissionPolicyBindings,
  apps.daemonSets,
  apps.deployments,
  core.namespaces,
  core.serviceAccounts,
  core.services,
  customResourceDefinitions,
  podDisruptionBudgets,
  rbac.clusterRoleBindings,
  rbac.clusterRoles,
  rbac.roleBindings,
  rbac.roles,
]

export const lines = (text: string): string[] => text.trim().split('\n')

/** What nobody may do, an administrator included. */
function guardCases(stage: () => Stage): void {
  const said = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(() => 'it was let pass', messageOf)
  const role = 'machineconfiguration.openshift.io/role'
  const pool = (machineConfigSelector: object): Promise<string> => {
    const spec = { machineConfigSelector, nodeSelector: { matchLabels: { a: 'b' } } }
    const made = { metadata: { name: 'custom' }, spec }
    return said(stage().client.create(machineConfigPools, made, { dryRun: true }))
  }

  it('a MachineConfiguration is called cluster', async () => {
    const made = { metadata: { name: 'other' }, spec: { managementState: 'Managed' } } as const
    const tried = await said(stage().client.create(machineConfigurations, made, { dryRun: true }))
    expect(tried).toMatch(/the only allowed name is cluster$/)
  })

  it.each([
    [{ matchLabels: { [role]: 'worker' } }],
    [{ matchExpressions: [{ key: role, operator: 'In', values: ['worker', 'custom'] }] }],
    [{ matchExpressions: [{ key: role, operator: 'NotIn', values: ['infra'] }] }],
  ])('a custom pool may select %j', async (selector) => {
    expect(await pool(selector)).toBe('it was let pass')
  })

  it.each([
    [{}],
    [{ matchLabels: { [role]: 'custom' } }],
    [{ matchExpressions: [{ key: role, operator: 'In', values: ['custom'] }] }],
    [{ matchExpressions: [{ key: role, operator: 'Exists' }] }],
  ])('a custom pool may not select %j', async (selector) => {
    expect(await pool(selector)).toMatch(
      /'custom-machine-config-pool-selector' denied request: The pool must take the MachineConfigs of a built-in role: /,
    )
  })

  it.each([
    [
      'a built-in pool',
      machineConfigPools,
      'worker',
      /Every node depends on this MachineConfigPool\./,
    ],
    [
      'a definition',
      customResourceDefinitions,
      'machineconfigs.machineconfiguration.openshift.io',
      /All machineconfigs of this cluster would go with their definition\./,
    ],
  ] as const)('%s is not deleted by mistake', async (_, resource, name, why) => {
    const tried = await said(
      stage().client.remove<KubeObject>(resource, { name }, { dryRun: true }),
    )
    expect(tried).toMatch(why)
    expect(tried).toMatch(
      /delete ValidatingAdmissionPolicyBinding machinist-deletion-guards first\.$/,
    )
  })

  it("somebody else's definition is nobody's business", async () => {
    const { client } = stage()
    const name = 'widgets.example.com'
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const names = { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' }
    const spec = { group: 'example.com', scope: 'Cluster', names, versions }
    await client.create(customResourceDefinitions, { metadata: { name }, spec } as never)
    expect(await said(client.remove(customResourceDefinitions, { name }))).toBe('it was let pass')
  })
}

/** Daemons that are no pods, and come with their kubelets' certificates. */
function systemdCases(stage: () => Stage): void {
  it('a daemon that is a service does its job with the credential of its kubelet', async () => {
    const { client } = stage()
    await bindNodes(client)
    const before = stage().recorded().length
    const own = clientAs(stage(), 'kubelet unit')
    const machine = new Machine(client, 'unit', { client: own, nodeClient: own, rules: 'policy' })
    const first = config('unit-1', { [quietFile]: 'first' })
    await machine.make(first)
    await machine.joined(first)
    machine.start()
    await machine.untilDone('unit-1')
    await machine.desire(config('unit-2', { [quietFile]: 'second' }))
    await machine.untilDone('unit-2')
    await machine.until('it has told what it trusts', async () => {
      const told = await ifThere(client.get(nodeTrusts, { name: 'unit' }))
      return told?.status !== undefined
    })
    await machine.stop()
    const asked = stage()
      .recorded()
      .slice(before)
      .filter(({ user }) => user === 'system:node:unit')
    expect(asked.filter(({ code }) => code === 403).map(inWords)).toEqual([])
    expect(asked.map(inWords)).toContain('patch machinist.dev nodetrusts/status unit')
  })

  it.each([
    [
      'tell how far another node is',
      '/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-1',
      /'mcn-guards' denied request: node unit may not write/,
    ],
    [
      'tell what another node trusts',
      '/apis/machinist.dev/v1alpha1/nodetrusts/worker-1',
      /'machinist-node-trust-guards' denied request: node unit may not write/,
    ],
    [
      'write a MachineConfig',
      '/apis/machineconfiguration.openshift.io/v1/machineconfigs/00-worker',
      /cannot patch resource "machineconfigs"/,
    ],
  ])('and may not %s', async (_, path, reason) => {
    expect(await refusal(stage(), 'kubelet unit', change(path))).toMatch(reason)
  })

  it('and daemons in pods have no rights any more', async () => {
    const path = '/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0'
    expect(await refusal(stage(), 'daemon worker-0', change(path))).toMatch(
      /cannot patch resource "machineconfignodes"/,
    )
  })
}

/** All in which deploy/systemd differs for the API server, in few requests. */
async function bindNodes(client: KubeClient): Promise<void> {
  for (const binding of manifestsIn('systemd')) {
    if (binding.metadata.name !== 'machine-config-daemon') continue
    const change = apply(binding, { fieldManager: 'kubectl', force: true })
    const { kind } = binding
    if (kind === 'RoleBinding') await client.patch(rbac.roleBindings, keyOf(binding), change)
    if (kind === 'ClusterRoleBinding')
      await client.patch(rbac.clusterRoleBindings, keyOf(binding), change)
  }
}
