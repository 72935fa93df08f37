import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { configMaps, namespaces, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { apply } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../../src/api/kinds/resources.ts'
import { emptyControllerConfigSpec } from '../../../../src/api/kinds/new-controller-config.ts'
import { trustCaches } from '../../../../src/operator/trust/caches.ts'
import { trustController } from '../../../../src/operator/trust/trust.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import type { Place } from '../../../../src/operator/trust/cluster.fixture.ts'
import { places } from '../../../../src/operator/trust/cluster.fixture.ts'

/** Runs the trust controller. */
export function runTrust(client: KubeClient, clock?: Clock): RunningControllers {
  return new RunningControllers(
    client,
    (given) => trustController(given, trustCaches(given, given.start)),
    { clock },
  )
}

const usedNamespaces = [
  'openshift-config',
  'openshift-config-managed',
  'openshift-machine-config-operator',
  'openshift-kube-apiserver-operator',
]

export async function makeNamespaces(client: KubeClient): Promise<void> {
  for (const name of usedNamespaces) {
    await client.create(namespaces, { metadata: { name } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
}

/** Removes all objects of a case. */
export async function cleanUp(client: KubeClient): Promise<void> {
  await removeIfExists(client, controllerConfigs, { name: 'machine-config-controller' })
  const theirs = new Set(['kube-root-ca.crt', 'extension-apiserver-authentication', 'default'])
  for (const namespace of [...usedNamespaces, 'kube-system']) {
    const kinds: readonly Resource[] = [configMaps, secrets, serviceAccounts]
    for (const kind of namespace === 'kube-system' ? [configMaps] : kinds) {
      for await (const { metadata } of client.listAll(kind, { namespace })) {
        if (!theirs.has(metadata.name))
          await removeIfExists(client, kind, { namespace, name: metadata.name })
      }
    }
  }
}

/** OpenShift's configuration kinds. */
const openShiftKinds = [
  ['Image', 'images'],
  ['Proxy', 'proxies'],
  ['DNS', 'dnses'],
  ['Infrastructure', 'infrastructures'],
  ['ClusterOperator', 'clusteroperators'],
] as const

export type OpenShiftKind = (typeof openShiftKinds)[number][0]

const resourceOf = (kind: OpenShiftKind): Resource<KubeObject & { spec?: object }> => {
  const [, plural] = openShiftKinds.find(([one]) => one === kind)!
  return resource({ group: 'config.openshift.io', version: 'v1', kind, plural, namespaced: false })
}

export async function installOpenShift(client: KubeClient): Promise<void> {
  for (const [kind, plural] of openShiftKinds) {
    const definition = {
      metadata: { name: `${plural}.config.openshift.io` },
      spec: {
        group: 'config.openshift.io',
        scope: 'Cluster',
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    } as CustomResourceDefinition
    await client.create(customResourceDefinitions, definition)
    await until(`${plural} are served`, () =>
      client.list(resourceOf(kind)).then(
        () => true,
        () => false,
      ),
    )
  }
}

/** Writes one of OpenShift's objects. */
export async function setOpenShiftObject(
  client: KubeClient,
  kind: OpenShiftKind,
  spec: object,
  name = 'cluster',
): Promise<void> {
  const object = { apiVersion: 'config.openshift.io/v1', kind, metadata: { name }, spec }
  const patch = apply(object, { fieldManager: 'test', force: true })
  await client.patch(resourceOf(kind), { name }, patch)
}

/** Replaces the content of an input. */
export async function putInput(
  client: KubeClient,
  place: Place,
  content: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  const [object, key] = places[place]
  const [namespace, name] = object.split('/')
  const desired = {
    metadata: { namespace: namespace!, name: name!, annotations },
    data: { [key]: content },
  }
  try {
    await client.create(configMaps, desired)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await client.replace(configMaps, desired)
  }
}

export function removeInput(client: KubeClient, place: Place): Promise<void> {
  const [namespace, name] = places[place][0].split('/')
  return removeIfExists(client, configMaps, { namespace: namespace!, name: name! })
}

/** The ControllerConfig, when it matches. */
export async function untilControllerConfig(
  client: KubeClient,
  what: string,
  isSo: (config: ControllerConfig) => boolean,
): Promise<ControllerConfig> {
  let found: ControllerConfig | undefined
  await until(what, async () => {
    found = await getControllerConfig(client)
    return found !== undefined && isSo(found)
  })
  return found!
}

export async function getControllerConfig(
  client: KubeClient,
): Promise<ControllerConfig | undefined> {
  try {
    return await client.get(controllerConfigs, { name: 'machine-config-controller' })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Replaces the ControllerConfig with an empty one. */
export async function recreateControllerConfig(client: KubeClient): Promise<void> {
  const metadata = { name: 'machine-config-controller' }
  await removeIfExists(client, controllerConfigs, metadata)
  await client
    .create(controllerConfigs, { metadata, spec: emptyControllerConfigSpec })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
}

/** `kubelet-client-ca: True NotPEM`, for each input with a condition. */
export function inputLines({ status }: ControllerConfig): string[] {
  return (status?.conditions ?? []).flatMap(({ type, status: value, reason }) => {
    const input = type.split('machinist.dev/InputDegraded.')[1]
    return input === undefined ? [] : [`${input}: ${value} ${reason}`]
  })
}

async function removeIfExists(
  client: KubeClient,
  kind: Resource,
  key: { namespace?: string; name: string },
): Promise<void> {
  await client.remove(kind, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}
