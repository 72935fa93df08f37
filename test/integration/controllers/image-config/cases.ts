import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import * as config from '../../../../src/api/openshift-config.ts'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import {
  installDefinitions,
  installLooseKinds,
} from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  makeNamespace,
} from '../support/cluster-objects.ts'
import { fileOf, isGone, namesOf } from '../support/machine-configs.ts'
import { untilEvent, poolCondition, untilPoolCondition } from '../support/reported.ts'
import {
  createBaseConfigs,
  createImage,
  openshiftKinds,
  createPool,
  setReleaseImage,
  runImageConfig,
} from './running-controller.ts'

const workerConfig = '99-worker-generated-registries'
const masterConfig = '99-master-generated-registries'
const conf = '/etc/containers/registries.conf'
const policyFile = '/etc/containers/policy.json'
const cluster = { name: 'cluster' }
const payload =
  'quay.io/release/image@sha256:4207ba569ff014931f1b5d125fe3751936a768e119546683c899eb09f3cdceb0'
const head = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`

/** Runs on the embedded API server and on a real one. */
export function imageConfigCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, openshiftKinds)
    await controllerConfig(client)
    await makeNamespace(client, 'team')
  })
  beforeEach(async () => {
    await createBaseConfigs(client)
    await createPool(client, 'master')
    await createPool(client, 'worker')
    await createPool(client, 'infra', false)
    await setReleaseImage(client, payload)
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [machineConfigs, machineConfigPools, ...openshiftKinds])
  })

  const has = (name: string, path: string, text: string | undefined): Promise<void> =>
    until(`${path} of ${name} is ${text}`, async () => (await fileOf(client, name, path)) === text)
  const type = 'machinist.dev/ImageConfigDegraded'
  const conditionOf = (name: string): Promise<Condition | undefined> =>
    poolCondition(client, name, type)
  const expectCondition = (name: string, status: string, text = ''): Promise<void> =>
    untilPoolCondition(client, name, { type, status, text })
  const expectEvent = (about: string, reason: string, text: string): Promise<void> =>
    untilEvent(client, { about, reason, text })
  const change = (registrySources: object): Promise<unknown> =>
    client.patch(config.images, cluster, mergePatch({ spec: { registrySources } }))
  const mirrored = (name: string, source: string, mirror: string): Promise<unknown> =>
    client.create(config.imageDigestMirrorSets, {
      metadata: { name },
      spec: { imageDigestMirrors: [{ source, mirrors: [mirror] }] },
    })
  const remirror = (name: string, source: string, mirror: string): Promise<unknown> =>
    client.patch(
      config.imageDigestMirrorSets,
      { name },
      mergePatch({ spec: { imageDigestMirrors: [{ source, mirrors: [mirror] }] } }),
    )
  const entry = (source: string, mirror: string): string => `
[[registry]]
  prefix = ""
  location = "${source}"

  [[registry.mirror]]
    location = "${mirror}"
    pull-from-mirror = "digest-only"
`

  it('built-in pools get the generated files, and all changes', async () => {
    const { metadata } = await createImage(client)
    running = runImageConfig(client)
    await until('both have one', async () => (await namesOf(client, '99-')).length === 2)
    expect(await client.get(machineConfigs, { name: workerConfig })).toMatchObject({
      metadata: {
        labels: { 'machineconfiguration.openshift.io/role': 'worker' },
        annotations: {
          'machineconfiguration.openshift.io/generated-by-controller-version': 'machinist-1',
        },
        ownerReferences: [
          {
            apiVersion: 'config.openshift.io/v1',
            kind: 'Image',
            name: 'cluster',
            uid: metadata.uid,
          },
        ],
      },
      spec: emptySpec,
    })
    const { ownerReferences } = (await client.get(machineConfigs, { name: workerConfig })).metadata
    expect(ownerReferences![0]).not.toHaveProperty('controller')

    await change({ insecureRegistries: ['a.io'] })
    const insecure = '\n[[registry]]\n  prefix = ""\n  location = "a.io"\n  insecure = true\n'
    await has(masterConfig, conf, head + insecure)
    await has(workerConfig, conf, head + insecure)
    await mirrored('one', 'quay.io', 'm.io')
    await has(workerConfig, conf, head + entry('quay.io', 'm.io') + insecure)
    await change({ insecureRegistries: null })
    await has(masterConfig, conf, head + entry('quay.io', 'm.io'))
    // A user changes generated MachineConfigs.
    await client.patch(machineConfigs, { name: masterConfig }, mergePatch({ spec: emptySpec }))
    await client.remove(machineConfigs, { name: workerConfig })
    await has(masterConfig, conf, head + entry('quay.io', 'm.io'))
    await has(workerConfig, conf, head + entry('quay.io', 'm.io'))
    expect(await conditionOf('worker')).toBeUndefined()
    await client.remove(config.imageDigestMirrorSets, { name: 'one' })
    await has(workerConfig, conf, undefined)
    expect(running.metrics.text()).toContain(
      'machinist_settings_failing{kind="Image",name="cluster"} 0',
    )
  })

  it('nothing is generated without an Image or a ClusterVersion', async () => {
    await client.remove(config.clusterVersions, { name: 'version' })
    await mirrored('one', 'a.io', 'm.io')
    running = runImageConfig(client)
    await createImage(client)
    await client.remove(config.images, cluster)
    await setReleaseImage(client, payload)
    // This change triggers a reconcile.
    await mirrored('two', 'b.io ', 'm.io')
    await until('it has reconciled', () => running.metrics.text().includes('result="success"} '))
    expect(await namesOf(client, '99-')).toEqual([])
    await createImage(client)
    await expectCondition('worker', 'True', 'ImageDigestMirrorSet two')
    await has(workerConfig, conf, head + entry('a.io', 'm.io'))
    await client.remove(config.images, cluster)
    await expectCondition('worker', 'False')
  })

  it('an invalid mirror set is reported, nodes keep its last valid value, and other settings still apply', async () => {
    await createImage(client)
    await mirrored('one', 'a.io', 'm1.io')
    await mirrored('two', 'b.io', 'm2.io')
    running = runImageConfig(client)
    await has(workerConfig, conf, head + entry('a.io', 'm1.io') + entry('b.io', 'm2.io'))
    await remirror('one', 'a.io', 'm1.io ')
    const problem =
      'ImageDigestMirrorSet one: spec.imageDigestMirrors[0].mirrors[0]: invalid format for mirror "m1.io "'
    await expectCondition('worker', 'True', problem)
    await expectCondition('master', 'True', problem)
    expect((await conditionOf('worker'))!.reason).toBe('BadMirrors')
    await expectEvent('ImageDigestMirrorSet', 'RegistriesFailed', problem)
    expect(running.metrics.text()).toContain(
      'machinist_settings_failing{kind="ImageDigestMirrorSet",name="one"} 1',
    )
    const { metadata } = await client.get(machineConfigPools, { name: 'worker' })
    await remirror('two', 'c.io', 'm3.io')
    const kept = entry('a.io', 'm1.io') + entry('b.io', 'm2.io') + entry('c.io', 'm3.io')
    await has(workerConfig, conf, head + kept)
    await has(masterConfig, conf, head + kept)
    // The condition did not change.
    const { metadata: now } = await client.get(machineConfigPools, { name: 'worker' })
    expect(now.resourceVersion).toBe(metadata.resourceVersion)
    await remirror('one', 'a.io', 'm4.io')
    await has(workerConfig, conf, head + entry('a.io', 'm4.io') + entry('c.io', 'm3.io'))
    await expectCondition('worker', 'False')
    await expectCondition('master', 'False')
    expect(running.metrics.text()).not.toContain('kind="ImageDigestMirrorSet"')
  })

  it('an ambiguous setting holds the MachineConfig unchanged, also for a new build', async () => {
    await createImage(client, { blockedRegistries: ['bad.io'] })
    running = runImageConfig(client)
    const blocked = '\n[[registry]]\n  prefix = ""\n  location = "bad.io"\n  blocked = true\n'
    await has(workerConfig, conf, head + blocked)
    await change({ blockedRegistries: ['bad.io', '*worse.io'] })
    const problem = `MachineConfig ${workerConfig} is kept unchanged: Image cluster: spec.registrySources.blockedRegistries[1]: invalid entry "*worse.io"`
    await expectCondition('worker', 'True', problem)
    expect((await conditionOf('worker'))!.reason).toBe('BadRegistries')
    await running.stop()
    running = runImageConfig(client, { build: 'machinist-2' })
    await until('it is of the new build', async () => {
      const { metadata } = await client.get(machineConfigs, { name: workerConfig })
      return Object.values(metadata.annotations ?? {}).includes('machinist-2')
    })
    await has(workerConfig, conf, head + blocked)
    await change({ blockedRegistries: ['quay.io'] })
    await expectCondition(
      'worker',
      'True',
      'quay.io is not blocked, because nodes pull the release image quay.io',
    )
    expect((await conditionOf('worker'))!.reason).toBe('PayloadProtected')
    await expectEvent('Image', 'PayloadProtected', 'quay.io is not blocked')
    await has(workerConfig, conf, undefined)
    await setReleaseImage(client, 'other.io/release/image:1')
    await has(
      workerConfig,
      conf,
      `${head}\n[[registry]]\n  prefix = ""\n  location = "quay.io"\n  blocked = true\n`,
    )
    await expectCondition('worker', 'False')
  })

  it('signatures are required, and an overruled ImagePolicy gets a Pending condition', async () => {
    const rootOfTrust = { policyType: 'PublicKey', publicKey: { keyData: 'eA==' } }
    const spec = (...scopes: string[]) => ({ scopes, policy: { rootOfTrust } })
    await createImage(client)
    const key = { namespace: 'team', name: 'ours' }
    await client.create(config.clusterImagePolicies, {
      metadata: { name: 'all' },
      spec: spec('a.io'),
    })
    await client.create(config.imagePolicies, { metadata: key, spec: spec('a.io/x', 'b.io') })
    running = runImageConfig(client)
    const pending = async (): Promise<Condition | undefined> =>
      (await client.get(config.imagePolicies, key)).status?.conditions?.[0]
    await until('the condition is set', async () => (await pending())?.reason === 'ConflictScopes')
    expect(await pending()).toMatchObject({
      type: 'Pending',
      status: 'False',
      message: expect.stringContaining('covers a.io/x and') as string,
    })
    await until(
      'there is a policy',
      async () => (await fileOf(client, workerConfig, policyFile)) !== undefined,
    )
    const of = async (path: string): Promise<string[]> => {
      const { transports } = JSON.parse((await fileOf(client, workerConfig, path)) ?? '{}') as {
        transports: { docker: object }
      }
      return Object.keys(transports.docker)
    }
    expect(await of(policyFile)).toEqual(['a.io'])
    expect(await of('/etc/crio/policies/team.json')).toEqual(['a.io', 'b.io'])
    await client.patch(config.imagePolicies, key, mergePatch({ spec: { scopes: ['b.io'] } }))
    await until('the condition is cleared', async () => (await pending())?.reason === 'AsExpected')
    expect(await conditionOf('worker')).toBeUndefined()
  })

  it("a user's MachineConfig with the same name is kept, other pools proceed, and configs of old releases are replaced", async () => {
    const { metadata } = await client.get(machineConfigPools, { name: 'master' })
    const old = `99-master-${metadata.uid}-registries`
    await generatedConfig(client, old, 'master', emptySpec, 'machinist-0')
    await machineConfig(client, workerConfig, 'worker', emptySpec)
    await createImage(client)
    await mirrored('one', 'a.io', 'm.io')
    running = runImageConfig(client)
    await expectCondition(
      'worker',
      'True',
      `MachineConfig ${workerConfig} was not generated by a controller`,
    )
    expect((await conditionOf('worker'))!.reason).toBe('NotOurs')
    await has(masterConfig, conf, head + entry('a.io', 'm.io'))
    await isGone(client, old)
    expect(await conditionOf('master')).toBeUndefined()
    expect(await fileOf(client, workerConfig, conf)).toBeUndefined()
    await client.remove(machineConfigs, { name: workerConfig })
    await has(workerConfig, conf, head + entry('a.io', 'm.io'))
    await expectCondition('worker', 'False')
  })

  it('nodes keep the settings of a kind that is no longer served', async () => {
    await createImage(client)
    await client.create(config.imageContentSourcePolicies, {
      metadata: { name: 'one' },
      spec: { repositoryDigestMirrors: [{ source: 'a.io', mirrors: ['m.io'] }] },
    })
    running = runImageConfig(client)
    await has(workerConfig, conf, head + entry('a.io', 'm.io'))
    await running.stop()
    await client.remove(config.imageContentSourcePolicies, { name: 'one' })
    running = runImageConfig(client, { lost: () => [config.imageContentSourcePolicies] })
    await expectCondition('worker', 'True', 'no longer serves ImageContentSourcePolicy')
    expect((await conditionOf('worker'))!.reason).toBe('BadMirrors')
    await has(workerConfig, conf, head + entry('a.io', 'm.io'))
  })

  it.each<[string, () => Promise<unknown>]>([
    ['there is no Image', () => Promise.resolve()],
    [
      'its pool is no longer a built-in one',
      async () => {
        const labels = { 'machineconfiguration.openshift.io/mco-built-in': null }
        const unlabelled = mergePatch({ metadata: { labels } })
        await client.patch(machineConfigPools, { name: 'worker' }, unlabelled)
        await createImage(client)
      },
    ],
  ])(
    'a MachineConfig of an older build is stamped with this build and keeps its spec: %s',
    async (_, prepare) => {
      await generatedConfig(client, workerConfig, 'worker', emptySpec, 'machinist-0')
      await machineConfig(client, '99-infra-generated-registries', 'infra', emptySpec)
      await prepare()
      running = runImageConfig(client)
      const by = async (name: string): Promise<string | undefined> =>
        (await client.get(machineConfigs, { name })).metadata.annotations?.[
          'machineconfiguration.openshift.io/generated-by-controller-version'
        ]
      await until(
        'the config has this build',
        async () => (await by(workerConfig)) === 'machinist-1',
      )
      expect((await client.get(machineConfigs, { name: workerConfig })).spec).toEqual(emptySpec)
      expect(await by('99-infra-generated-registries')).toBeUndefined()
    },
  )

  it.each([
    [config.images, 'BadRegistries'],
    [config.clusterVersions, 'BadRelease'],
  ])('the pool reports that $kind is no longer served', async (resource, reason) => {
    await generatedConfig(client, workerConfig, 'worker', emptySpec)
    if (resource === config.clusterVersions) {
      await createImage(client)
      await client.remove(config.clusterVersions, { name: 'version' })
    }
    running = runImageConfig(client, { lost: () => [resource] })
    await expectCondition('worker', 'True', `no longer serves ${resource.kind}`)
    await expectCondition('master', 'True', `MachineConfig ${masterConfig} is not created: `)
    expect((await conditionOf('worker'))!.message).toContain(
      `MachineConfig ${workerConfig} is kept unchanged: `,
    )
    expect((await conditionOf('worker'))!.reason).toBe(reason)
  })
}
