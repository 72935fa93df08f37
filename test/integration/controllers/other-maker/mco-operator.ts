import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { clusterOperators } from '../../../../src/api/openshift-config.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { installClusterOperators } from '../../operator/cluster-operator/definition.ts'

/* Objects of MCO's operator and of its controllers other than render, in release 4.16. */

const domain = 'machineconfiguration.openshift.io'
const lastTransitionTime = '2026-01-01T00:00:00Z'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const statusCall = { subresource: 'status' } as const

/** Written by MCO's template controller. */
export const controllerConfigStatus = {
  observedGeneration: 1,
  conditions: [
    { type: 'TemplateControllerRunning', status: 'False', lastTransitionTime },
    {
      type: 'TemplateControllerCompleted',
      status: 'True',
      lastTransitionTime,
      message: 'sync completed towards (1) generation using controller version v4.16.0',
    },
    { type: 'TemplateControllerFailing', status: 'False', lastTransitionTime },
  ],
}

export async function makeOperatorObjects(client: KubeClient): Promise<void> {
  await makeClusterOperator(client)
  await makeMachineConfiguration(client)
  await makeKubeletConfig(client)
  await makeCustomPool(client)
  for (const role of ['master', 'worker']) {
    await client.create(secrets, {
      metadata: { namespace: 'openshift-machine-api', name: `${role}-user-data-managed` },
      type: 'Opaque',
      data: {
        disableTemplating: base64('true\n'),
        userData: base64('{"ignition":{"version":"3.2.0"}}'),
      },
    })
  }
  await client.create(configMaps, {
    metadata: { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' },
    data: { 'ca-bundle.crt': 'by MCO' },
  })
}

async function makeClusterOperator(client: KubeClient): Promise<void> {
  await installClusterOperators(client)
  const name = 'machine-config'
  await client.create(clusterOperators, { metadata: { name }, spec: {} })
  const status = {
    conditions: [
      { type: 'Progressing', status: 'False', lastTransitionTime },
      { type: 'Degraded', status: 'False', lastTransitionTime },
      { type: 'Available', status: 'True', lastTransitionTime, reason: 'AsExpected' },
      { type: 'Upgradeable', status: 'True', lastTransitionTime, reason: 'AsExpected' },
    ],
    versions: [{ name: 'operator', version: '4.16.11' }],
  }
  await client.patch(clusterOperators, { name }, mergePatch({ status }), statusCall)
}

async function makeMachineConfiguration(client: KubeClient): Promise<void> {
  const name = 'cluster'
  const spec = { managementState: 'Managed', logLevel: 'Normal' } as const
  await client.create(api.machineConfigurations, { metadata: { name }, spec })
  const status = { observedGeneration: 1 }
  await client.patch(api.machineConfigurations, { name }, mergePatch({ status }), statusCall)
}

async function makeKubeletConfig(client: KubeClient): Promise<void> {
  const name = 'max-pods'
  await client.create(api.kubeletConfigs, {
    metadata: { name, finalizers: ['99-worker-generated-kubelet'] },
    spec: {
      kubeletConfig: { maxPods: 100 },
      machineConfigPoolSelector: {
        matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' },
      },
    },
  })
  const status = {
    observedGeneration: 1,
    conditions: [{ type: 'Success', status: 'True', lastTransitionTime, message: 'Success' }],
  }
  await client.patch(api.kubeletConfigs, { name }, mergePatch({ status }), statusCall)
}

/** A new custom pool: it has no nodes, and MCO cannot render it. */
async function makeCustomPool(client: KubeClient): Promise<void> {
  const name = 'infra'
  await client.create(api.machineConfigPools, {
    metadata: { name },
    spec: {
      machineConfigSelector: { matchLabels: { [`${domain}/role`]: name } },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    },
  })
  const message = 'Failed to render configuration for pool infra: no MachineConfigs found'
  const status = {
    observedGeneration: 1,
    conditions: [
      { type: 'RenderDegraded', status: 'True', reason: '', message, lastTransitionTime },
    ],
  }
  await client.patch(api.machineConfigPools, { name }, mergePatch({ status }), statusCall)
}
