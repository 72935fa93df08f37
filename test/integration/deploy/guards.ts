import { describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { clusterRoleBindings, roleBindings } from '@machinist/kube/kinds/rbac'
import { apply } from '@machinist/kube/patch'
import {
  machineConfigPools,
  machineConfigurations,
  nodeTrusts,
} from '../../../src/api/kinds/resources.ts'
import { Machine } from '../daemon/cluster/machine.ts'
import { config, quietFile } from '../daemon/follow/facts.ts'
import type { Attempt } from './attempts.ts'
import { change, remove } from './attempts.ts'
import { createTargets } from './bystanders.ts'
import { clientAs } from './scenario.ts'
import { newCAIsLoaded } from './kubelet-restarts.ts'
import { machineConfigMistakes } from './machine-config-mistakes.ts'
import { manifestsIn } from './manifests.ts'
import { formatRequest } from './recorded-request.ts'
import { refusal, refusedAttempts } from './refused.ts'
import { serverGuards } from './server-guards.ts'
import { serverOpen } from './server-open.ts'
import type { Stage } from './stage.ts'
import { userDataGuards } from './user-data-guards.ts'

/** Admission policies and RBAC reject forbidden requests. */
export function guardCases(stage: () => Stage): void {
  describe('guards', () => {
    createTargets(stage)
    refusedAttempts(stage)
    forEveryUser(stage)
    userDataGuards(stage)
    serverGuards(stage)
    serverOpen(stage)
    machineConfigMistakes(stage)
    forPods(stage)
    forServices(stage)
  })
}

/** Requests that are rejected for every user, administrators included. */
function forEveryUser(stage: () => Stage): void {
  const outcomeOf = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(() => 'it was allowed', messageOf)
  const role = 'machineconfiguration.openshift.io/role'
  const pool = (machineConfigSelector: object): Promise<string> => {
    const spec = { machineConfigSelector, nodeSelector: { matchLabels: { a: 'b' } } }
    const made = { metadata: { name: 'custom' }, spec }
    return outcomeOf(stage().client.create(machineConfigPools, made, { dryRun: true }))
  }

  it('a MachineConfiguration must be named cluster', async () => {
    const made = { metadata: { name: 'other' }, spec: { managementState: 'Managed' } } as const
    const tried = await outcomeOf(
      stage().client.create(machineConfigurations, made, { dryRun: true }),
    )
    expect(tried).toMatch(/the only allowed name is cluster$/)
  })

  it.each([
    [{ matchLabels: { [role]: 'worker' } }],
    [{ matchExpressions: [{ key: role, operator: 'In', values: ['worker', 'custom'] }] }],
    [{ matchExpressions: [{ key: role, operator: 'NotIn', values: ['infra'] }] }],
  ])('a custom pool may select %j', async (selector) => {
    expect(await pool(selector)).toBe('it was allowed')
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
      /Deleting this definition deletes all machineconfigs of this cluster\./,
    ],
  ] as const)('%s is not deleted by mistake', async (_, resource, name, why) => {
    const tried = await outcomeOf(
      stage().client.remove<KubeObject>(resource, { name }, { dryRun: true }),
    )
    expect(tried).toMatch(why)
    expect(tried).toMatch(
      /delete ValidatingAdmissionPolicyBinding machinist-deletion-guards first\.$/,
    )
  })

  it('definitions of other projects can be deleted', async () => {
    const { client } = stage()
    const name = 'widgets.example.com'
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const names = { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' }
    const spec = { group: 'example.com', scope: 'Cluster', names, versions }
    await client.create(customResourceDefinitions, { metadata: { name }, spec } as never)
    expect(await outcomeOf(client.remove(customResourceDefinitions, { name }))).toBe(
      'it was allowed',
    )
  })
}

const restarted = { actions: [{ type: 'restart', unit: 'kubelet.service' }], refused: [] }

/** Daemons of the DaemonSet. */
function forPods(stage: () => Stage): void {
  it('a daemon in a pod restarts its kubelet for a new CA of the API server', async () => {
    const client = clientAs(stage(), 'daemon pod-0')
    const nodeClient = clientAs(stage(), 'kubelet pod-0')
    expect(await newCAIsLoaded(stage(), 'pod-0', { client, nodeClient })).toEqual(restarted)
  })
}

/** Daemons that are systemd services and use their kubelet's certificate. */
function forServices(stage: () => Stage): void {
  it('a daemon that is a systemd service works with the credential of its kubelet', async () => {
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
    await machine.until('the daemon has reported its trust', async () => {
      const trust = await ignoreNotFound(client.get(nodeTrusts, { name: 'unit' }))
      return trust?.status !== undefined
    })
    await machine.stop()
    const sent = stage()
      .recorded()
      .slice(before)
      .filter(({ user }) => user === 'system:node:unit')
    expect(sent.filter(({ code }) => code === 403).map(formatRequest)).toEqual([])
    expect(sent.map(formatRequest)).toContain('patch machinist.dev nodetrusts/status unit')
  })

  it('a daemon that is a systemd service restarts its kubelet for a new CA of the API server', async () => {
    const own = clientAs(stage(), 'kubelet unit-0')
    const credentials = { client: own, nodeClient: own }
    expect(await newCAIsLoaded(stage(), 'unit-0', credentials)).toEqual(restarted)
  })

  const nodeTrust = '/apis/machinist.dev/v1alpha1/nodetrusts/worker-1'
  it.each<[string, Attempt, RegExp]>([
    [
      'report the progress of another node',
      change('/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-1'),
      /'mcn-guards' denied request: node unit may not write/,
    ],
    [
      'report the trust of another node',
      change(nodeTrust),
      /'machinist-node-trust-guards' denied request: node unit may not write/,
    ],
    [
      'delete the NodeTrust of another node',
      remove(nodeTrust),
      /'machinist-node-trust-guards' denied request: node unit may not write/,
    ],
    [
      'write a MachineConfig',
      change('/apis/machineconfiguration.openshift.io/v1/machineconfigs/00-worker'),
      /cannot patch resource "machineconfigs"/,
    ],
  ])('a daemon that is a systemd service may not %s', async (_, attempt, reason) => {
    expect(await refusal(stage(), 'kubelet unit', attempt)).toMatch(reason)
  })

  it('with deploy/systemd, daemons in pods have no permissions', async () => {
    const path = '/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0'
    expect(await refusal(stage(), 'daemon worker-0', change(path))).toMatch(
      /cannot patch resource "machineconfignodes"/,
    )
  })
}

/** Applies the bindings in which deploy/systemd differs from deploy/. */
async function bindNodes(client: KubeClient): Promise<void> {
  for (const binding of manifestsIn('systemd')) {
    if (binding.metadata.name !== 'machine-config-daemon') continue
    const change = apply(binding, { fieldManager: 'kubectl', force: true })
    const { kind } = binding
    if (kind === 'RoleBinding') await client.patch(roleBindings, keyOf(binding), change)
    if (kind === 'ClusterRoleBinding')
      await client.patch(clusterRoleBindings, keyOf(binding), change)
  }
}
