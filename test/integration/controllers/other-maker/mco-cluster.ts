import type { OwnerReference } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { controllerConfigStatus, makeOperatorObjects } from './mco-operator.ts'

/** MCO annotates generated objects with the git commit of its controller. */
export const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
const domain = 'machineconfiguration.openshift.io'
const generated = { [`${domain}/generated-by-controller-version`]: commit }
/** The conditions that MCO 4.16 writes on a pool. */
const poolConditions = ['RenderDegraded', 'NodeDegraded', 'Degraded', 'Updated', 'Updating']
const roles = ['master', 'worker'] as const
type Role = (typeof roles)[number]

/** MCO names rendered configs by an MD5 over its own YAML. */
export const rendered: Readonly<Record<Role, string>> = {
  master: 'rendered-master-0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  worker: 'rendered-worker-a0b1c2d3e4f5061728394a5b6c7d8e9f',
}

/** Some contents of every node of MCO 4.16, by MachineConfig. */
const contents: Readonly<Record<string, object>> = {
  '00-ROLE': {
    storage: {
      files: [
        file('/usr/local/bin/configure-ovs.sh', 0o755, '#!/bin/bash\n'),
        file('/etc/NetworkManager/conf.d/99-keyfiles.conf', 0o644, '[keyfile]\n'),
      ],
    },
    systemd: {
      units: [
        unit('nodeip-configuration.service'),
        unit('openvswitch.service'),
        unit('ovs-configuration.service'),
      ],
    },
  },
  '01-ROLE-container-runtime': {
    storage: { files: [file('/etc/crio/crio.conf.d/00-default', 0o644, '[crio]\n')] },
  },
  '01-ROLE-kubelet': {
    storage: {
      files: [file('/etc/kubernetes/kubelet.conf', 0o644, 'kind: KubeletConfiguration\n')],
    },
    systemd: { units: [unit('kubelet.service')] },
  },
  '97-ROLE-generated-kubelet': {},
  '98-ROLE-generated-kubelet': {},
  '99-ROLE-generated-registries': {
    storage: {
      files: [
        file('/etc/containers/registries.conf', 0o644, 'unqualified-search-registries = []\n'),
      ],
    },
  },
}

/** From the installer; no controller generated it. */
const sshKeys = {
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA core@example'] }] },
}

/** A converged cluster as MCO 4.16 leaves it: one control plane node, two workers. */
export async function makeMcoCluster(client: KubeClient): Promise<void> {
  const owner = await makeControllerConfig(client)
  await makeOperatorObjects(client)
  for (const role of roles) {
    const sources = await makeInputs(client, role, owner)
    await makePool(client, role, sources)
  }
  await makeNode(client, 'master-0', 'master')
  await makeNode(client, 'worker-0', 'worker')
  await makeNode(client, 'worker-1', 'worker')
}

async function makeControllerConfig(client: KubeClient): Promise<OwnerReference> {
  const { spec } = exampleControllerConfig('openshift')
  const { metadata } = await client.create(api.controllerConfigs, {
    metadata: {
      name: 'machine-config-controller',
      annotations: {
        [`${domain}/generated-by-version`]: 'v4.16.0-202409051837.p0',
        [`${domain}/release-image-version`]: '4.16.11',
        [`${domain}/service-ca-rotate`]: 'false',
      },
    },
    spec: { ...spec, baseOSContainerImage: 'quay.example/os@sha256:16' },
  })
  const patch = mergePatch({ status: controllerConfigStatus })
  const call = { subresource: 'status' } as const
  await client.patch(api.controllerConfigs, { name: metadata.name }, patch, call)
  return ownedBy('ControllerConfig', metadata.name, metadata.uid!)
}

async function makeInputs(
  client: KubeClient,
  role: Role,
  owner: OwnerReference,
): Promise<string[]> {
  const names: string[] = []
  for (const [pattern, content] of Object.entries(contents)) {
    const name = pattern.replace('ROLE', role)
    const isTemplate = /^0[01]-/.test(name)
    await client.create(api.machineConfigs, {
      metadata: {
        name,
        labels: { [`${domain}/role`]: role },
        annotations: generated,
        ...(isTemplate && { ownerReferences: [owner] }),
      },
      spec: specOf(content),
    })
    names.push(name)
  }
  const ssh = `99-${role}-ssh`
  const labels = { [`${domain}/role`]: role }
  await client.create(api.machineConfigs, {
    metadata: { name: ssh, labels },
    spec: specOf(sshKeys),
  })
  return [...names, ssh]
}

async function makePool(client: KubeClient, role: Role, sources: readonly string[]): Promise<void> {
  const configuration = {
    name: rendered[role],
    source: sources.map((name) => ({ apiVersion: `${domain}/v1`, kind: 'MachineConfig', name })),
  }
  const { metadata } = await client.create(api.machineConfigPools, {
    metadata: {
      name: role,
      labels: {
        ...(role === 'master' && {
          'operator.machineconfiguration.openshift.io/required-for-upgrade': '',
        }),
        [`${domain}/mco-built-in`]: '',
        [`pools.operator.machineconfiguration.openshift.io/${role}`]: '',
      },
    },
    spec: {
      configuration,
      machineConfigSelector: { matchLabels: { [`${domain}/role`]: role } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: '' } },
    },
  })
  const machineCount = role === 'master' ? 1 : 2
  const conditions = poolConditions.map((type) => ({
    type,
    status: type === 'Updated' ? ('True' as const) : ('False' as const),
    reason: '',
    message: type === 'Updated' ? `All nodes are updated with MachineConfig ${rendered[role]}` : '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }))
  const status = {
    configuration,
    conditions,
    machineCount,
    updatedMachineCount: machineCount,
    readyMachineCount: machineCount,
    unavailableMachineCount: 0,
    degradedMachineCount: 0,
    observedGeneration: 1,
  }
  const call = { subresource: 'status' } as const
  await client.patch(api.machineConfigPools, { name: role }, mergePatch({ status }), call)
  await client.create(api.machineConfigs, {
    metadata: {
      name: rendered[role],
      annotations: { ...generated, [`${domain}/release-image-version`]: '4.16.11' },
      ownerReferences: [ownedBy('MachineConfigPool', role, metadata.uid!)],
    },
    spec: renderedSpec(),
  })
}

/** The config that MCO 4.16 renders from the inputs above: Ignition 3.4.0, every field of the spec. */
function renderedSpec(): NonNullable<MachineConfig['spec']> {
  const all = [...Object.values(contents), sshKeys] as readonly Sections[]
  return {
    baseOSExtensionsContainerImage: '',
    config: {
      ignition: { version: '3.4.0' },
      storage: { files: all.flatMap(({ storage }) => storage?.files ?? []) },
      systemd: { units: all.flatMap(({ systemd }) => systemd?.units ?? []) },
      ...sshKeys,
    },
    extensions: [],
    fips: false,
    kernelArguments: [],
    kernelType: 'default',
    osImageURL: 'quay.example/os@sha256:16',
  }
}

interface Sections {
  readonly storage?: { readonly files: readonly object[] }
  readonly systemd?: { readonly units: readonly object[] }
}

function makeNode(client: KubeClient, name: string, role: Role): Promise<Node> {
  const config = rendered[role]
  return client.create(nodes, {
    metadata: {
      name,
      labels: {
        [`node-role.kubernetes.io/${role}`]: '',
        ...(role === 'master' && { 'node-role.kubernetes.io/control-plane': '' }),
      },
      annotations: {
        [`${domain}/currentConfig`]: config,
        [`${domain}/desiredConfig`]: config,
        [`${domain}/state`]: 'Done',
        [`${domain}/reason`]: '',
        [`${domain}/controlPlaneTopology`]: 'HighlyAvailable',
        [`${domain}/desiredDrain`]: `uncordon-${config}`,
        [`${domain}/lastAppliedDrain`]: `uncordon-${config}`,
      },
    },
  })
}

const ownedBy = (kind: string, name: string, uid: string): OwnerReference => ({
  apiVersion: `${domain}/v1`,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})

function specOf(content: object): NonNullable<MachineConfig['spec']> {
  return { config: { ignition: { version: '3.4.0' }, ...content } }
}

function file(path: string, mode: number, text: string): object {
  return { path, mode, overwrite: true, contents: { source: `data:,${encodeURIComponent(text)}` } }
}

function unit(name: string): object {
  return { name, enabled: true, contents: `[Unit]\nDescription=${name}\n` }
}
