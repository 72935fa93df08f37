import type { ControllerConfig } from '../../../../src/api/resources.ts'
import { controllerConfigs } from '../../../../src/api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { configMaps, namespaces, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { apply } from '@machinist/kube/patch'
import { emptySpec } from '../../../../src/api/new-controller-config.ts'
import { trustController } from '../../../../src/operator/trust/trust.ts'
import { until } from '@machinist/testing/until'
import { RunningControllers } from '../../../support/running-controllers.ts'
import type { Place } from '../../../../src/operator/trust/cluster.fixture.ts'
import { places } from '../../../../src/operator/trust/cluster.fixture.ts'

/** The trust loop at work on a cluster. */
export function follow(client: KubeClient, clock?: Clock): RunningControllers {
  return new RunningControllers(
    client,
    (given) => {
      const { controller, informers } = trustController(given)
      for (const informer of informers) given.start(informer)
      return controller
    },
    { clock },
  )
}

const used = [
  'openshift-config',
  'openshift-config-managed',
  'openshift-machine-config-operator',
  'openshift-kube-apiserver-operator',
]

export async function makeNamespaces(client: KubeClient): Promise<void> {
  for (const name of used) {
    await client.create(namespaces, { metadata: { name } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
}

/** As if nobody had ever been here. */
export async function cleanUp(client: KubeClient): Promise<void> {
  await gone(client, controllerConfigs, { name: 'machine-config-controller' })
  const theirs = new Set(['kube-root-ca.crt', 'extension-apiserver-authentication', 'default'])
  for (const namespace of [...used, 'kube-system']) {
    const kinds: readonly Resource[] = [configMaps, secrets, serviceAccounts]
    for (const kind of namespace === 'kube-system' ? [configMaps] : kinds) {
      for await (const { metadata } of client.listAll(kind, { namespace })) {
        if (!theirs.has(metadata.name)) await gone(client, kind, { namespace, name: metadata.name })
      }
    }
  }
}

/** Where OpenShift says what it is. */
const openShiftKinds = [
  ['Image', 'images'],
  ['Proxy', 'proxies'],
  ['DNS', 'dnses'],
  ['Infrastructure', 'infrastructures'],
  ['ClusterOperator', 'clusteroperators'],
] as const

export type OpenShiftKind = (typeof openShiftKinds)[number][0]

const placeOf = (kind: OpenShiftKind): Resource<KubeObject & { spec?: object }> => {
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
      client.list(placeOf(kind)).then(
        () => true,
        () => false,
      ),
    )
  }
}

/** Writes one of OpenShift's objects. */
export async function say(
  client: KubeClient,
  kind: OpenShiftKind,
  spec: object,
  name = 'cluster',
): Promise<void> {
  const object = { apiVersion: 'config.openshift.io/v1', kind, metadata: { name }, spec }
  const patch = apply(object, { fieldManager: 'test', force: true })
  await client.patch(placeOf(kind), { name }, patch)
}

/** Puts a text where an input is looked for, in place of all that was there. */
export async function put(
  client: KubeClient,
  place: Place,
  content: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  const [object, key] = places[place]
  const [namespace, name] = object.split('/')
  const wanted = {
    metadata: { namespace: namespace!, name: name!, annotations },
    data: { [key]: content },
  }
  try {
    await client.create(configMaps, wanted)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await client.replace(configMaps, wanted)
  }
}

export function remove(client: KubeClient, place: Place): Promise<void> {
  const [namespace, name] = places[place][0].split('/')
  return gone(client, configMaps, { namespace: namespace!, name: name! })
}

/** The ControllerConfig, as soon as it is like this. */
export async function handedOn(
  client: KubeClient,
  what: string,
  isSo: (config: ControllerConfig) => boolean,
): Promise<ControllerConfig> {
  let found: ControllerConfig | undefined
  await until(what, async () => {
    found = await controllerConfig(client)
    return found !== undefined && isSo(found)
  })
  return found!
}

export async function controllerConfig(client: KubeClient): Promise<ControllerConfig | undefined> {
  try {
    return await client.get(controllerConfigs, { name: 'machine-config-controller' })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Another ControllerConfig takes the place of the one that is there, without anything in it. */
export async function remake(client: KubeClient): Promise<void> {
  const metadata = { name: 'machine-config-controller' }
  await gone(client, controllerConfigs, metadata)
  await client.create(controllerConfigs, { metadata, spec: emptySpec }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

/** `kubelet-client-ca: True NotPEM`, for each input that has something to say. */
export function inputsOf({ status }: ControllerConfig): string[] {
  return (status?.conditions ?? []).flatMap(({ type, status: holds, reason }) => {
    const input = type.split('machinist.dev/InputDegraded.')[1]
    return input === undefined ? [] : [`${input}: ${holds} ${reason}`]
  })
}

async function gone(
  client: KubeClient,
  kind: Resource,
  key: { namespace?: string; name: string },
): Promise<void> {
  await client.remove(kind, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}
