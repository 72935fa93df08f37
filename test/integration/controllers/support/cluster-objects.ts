import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists } from '@machinist/kube/failure'
import { namespaces } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { MachineConfig, MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { exampleControllerConfig } from './example-controller-config.ts'

/** The controller of generated MachineConfigs in these tests. */
export const maker = { version: '1.2.3', build: 'machinist-1' }
const role = 'machineconfiguration.openshift.io/role'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
export const theControllerConfig = { name: 'machine-config-controller' }

/** Creates the ControllerConfig, with its templates done by default. */
export async function controllerConfig(
  client: KubeClient,
  { version = maker.version, done = true }: { version?: string; done?: boolean } = {},
): Promise<void> {
  const { spec } = exampleControllerConfig('plain-kubernetes')
  const made = await client.create(api.controllerConfigs, {
    metadata: {
      ...theControllerConfig,
      annotations: {
        'machineconfiguration.openshift.io/generated-by-version': version,
        'machineconfiguration.openshift.io/release-image-version': '4.99.0',
      },
    },
    spec: {
      ...spec,
      baseOSContainerImage: 'registry.example/os@sha256:1',
      baseOSExtensionsContainerImage: 'registry.example/extensions@sha256:2',
    },
  })
  if (done) await templatesDone(client, made.metadata.generation ?? 1)
}

export async function templatesDone(client: KubeClient, observedGeneration: number): Promise<void> {
  const conditions = [
    ['TemplateControllerRunning', 'False'],
    ['TemplateControllerCompleted', 'True'],
    ['TemplateControllerFailing', 'False'],
  ].map(([type, status]) => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z' }))
  const patch = mergePatch({ status: { observedGeneration, conditions } })
  const call = { subresource: 'status' } as const
  await client.patch(api.controllerConfigs, theControllerConfig, patch, call)
}

/** A pool that selects the MachineConfigs of these roles. */
export function pool(
  client: KubeClient,
  name: string,
  roles: readonly string[],
): Promise<MachineConfigPool> {
  return client.create(api.machineConfigPools, {
    metadata: { name, labels: { pool: name } },
    spec: {
      machineConfigSelector: {
        matchExpressions: [{ key: role, operator: 'In', values: [...roles] }],
      },
    },
  })
}

/** A MachineConfig of a user. */
export function machineConfig(
  client: KubeClient,
  name: string,
  of: string,
  spec: MachineConfig['spec'],
): Promise<MachineConfig> {
  return client.create(api.machineConfigs, { metadata: { name, labels: { [role]: of } }, spec })
}

/** A MachineConfig that a controller generated. */
export function generatedConfig(
  client: KubeClient,
  name: string,
  of: string,
  spec: MachineConfig['spec'],
  build = maker.build,
): Promise<MachineConfig> {
  const metadata = { name, labels: { [role]: of }, annotations: { [generatedBy]: build } }
  return client.create(api.machineConfigs, { metadata, spec })
}

/** The spec of a MachineConfig with one file. */
export const motd = (text: string): NonNullable<MachineConfig['spec']> => ({
  config: {
    ignition: { version: '3.2.0' },
    storage: { files: [{ path: '/etc/motd', mode: 420, contents: { source: `data:,${text}` } }] },
  },
})

/** The spec of an empty MachineConfig. */
export const emptySpec: NonNullable<MachineConfig['spec']> = {
  config: { ignition: { version: '3.2.0' } },
}

export async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  try {
    await client.create(namespaces, { metadata: { name } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
