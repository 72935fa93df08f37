import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import { imageRegistryKinds, kinds } from '../../../../src/api/definitions/kinds.ts'
import * as config from '../../../../src/api/openshift-config.ts'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { controllerConfig, emptySpec, generatedConfig } from '../support/cluster-objects.ts'
import { fileOf, namesOf } from '../support/machine-configs.ts'
import { poolCondition, untilPoolCondition } from '../support/reported.ts'
import { setContainerRuntime } from '../support/settings-controllers.ts'
import { createBaseConfigs, createImage, createPool, runImageConfig } from './running-controller.ts'

const workerConfig = '99-worker-generated-registries'
const conf = '/etc/containers/registries.conf'
const type = 'machinist.dev/ImageConfigDegraded'

/** The controller in a cluster that is not OpenShift and has the CRDs of deploy/image-registries. */
export function plainCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client, [...kinds, ...imageRegistryKinds])
    await controllerConfig(client)
  })
  beforeEach(async () => {
    await createBaseConfigs(client)
    await createPool(client, 'worker')
  })
  afterEach(async () => {
    await running.stop()
    const given = imageRegistryKinds.map(({ resource }) => resource)
    await removeAll(client, [machineConfigs, machineConfigPools, ...given])
  })

  const has = (path: string, text: string | undefined): Promise<void> =>
    until(`${path} has ${text}`, async () => {
      const found = await fileOf(client, workerConfig, path)
      return text === undefined ? found === undefined : Boolean(found?.includes(text))
    })
  const mirrored = (name: string): Promise<unknown> =>
    client.create(config.imageDigestMirrorSets, {
      metadata: { name },
      spec: { imageDigestMirrors: [{ source: 'quay.io', mirrors: ['m.io'] }] },
    })

  it('a MachineConfig is created for the first setting; a mirror set is enough', async () => {
    running = runImageConfig(client)
    await running.reconciled()
    expect(await namesOf(client, '99-')).toEqual([])
    await mirrored('one')
    await has(conf, '    location = "m.io"\n')
    const made = await client.get(machineConfigs, { name: workerConfig })
    expect(made.metadata.ownerReferences).toBeUndefined()
    await client.remove(config.imageDigestMirrorSets, { name: 'one' })
    await has(conf, undefined)
    expect((await client.get(machineConfigs, { name: workerConfig })).spec).toEqual(emptySpec)
    expect(await poolCondition(client, 'worker', type)).toBeUndefined()
  })

  it('registries are blocked without a release image; without the Image, mirror sets still apply', async () => {
    await createImage(client, { blockedRegistries: ['bad.io'] })
    await mirrored('one')
    running = runImageConfig(client)
    await has(conf, '  location = "bad.io"\n  blocked = true\n')
    await has('/etc/containers/policy.json', '"bad.io":')
    expect(await poolCondition(client, 'worker', type)).toBeUndefined()
    await client.remove(config.images, { name: 'cluster' })
    await has('/etc/containers/policy.json', undefined)
    await has(conf, '    location = "m.io"\n')
  })

  it('a MachineConfig of OpenShift is kept: its ClusterVersion may not be served yet', async () => {
    const { metadata } = await createImage(client, { blockedRegistries: ['bad.io'] })
    await generatedConfig(client, workerConfig, 'worker', emptySpec)
    const [apiVersion, kind, uid] = ['config.openshift.io/v1', 'Image', metadata.uid]
    const owned = (ownerReferences: object[] | null): Promise<unknown> =>
      client.patch(
        machineConfigs,
        { name: workerConfig },
        mergePatch({ metadata: { ownerReferences } }),
      )
    await owned([{ apiVersion, kind, uid, name: 'cluster' }])
    running = runImageConfig(client)
    await untilPoolCondition(client, 'worker', {
      type,
      status: 'True',
      text: 'does not serve ClusterVersion',
    })
    expect((await client.get(machineConfigs, { name: workerConfig })).spec).toEqual(emptySpec)
    await owned(null)
    await has(conf, '  location = "bad.io"\n  blocked = true\n')
    await untilPoolCondition(client, 'worker', { type, status: 'False' })
  })

  it('the pool reports that containerd ignores the settings', async () => {
    await setContainerRuntime(client, 'containerd')
    running = runImageConfig(client)
    await running.reconciled()
    expect(await poolCondition(client, 'worker', type)).toBeUndefined()
    await mirrored('one')
    await untilPoolCondition(client, 'worker', {
      type,
      status: 'True',
      text: 'run containers with containerd',
    })
    expect((await poolCondition(client, 'worker', type))!.reason).toBe('NotRead')
    await has(conf, '    location = "m.io"\n')
    await setContainerRuntime(client, null)
    await mirrored('two')
    await untilPoolCondition(client, 'worker', { type, status: 'False' })
  })
}
