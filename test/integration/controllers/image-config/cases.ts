import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import * as config from '../../../../src/api/openshift-config.ts'
import { machineConfigPools, machineConfigs } from '../../../../src/api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions, installLooseKinds } from '../../../../src/api/definitions.fixture.ts'
import { removeAll } from '@machinist/testing/remove-all'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  makeNamespace,
} from '../support/cluster-objects.ts'
import { fileOf, isGone, namesOf } from '../support/machine-configs.ts'
import { eventTells, poolCondition, poolSays } from '../support/told.ts'
import { bases, image, openshiftKinds, pool, release, runImageConfig } from './world.ts'

const ofWorkers = '99-worker-generated-registries'
const ofMasters = '99-master-generated-registries'
const conf = '/etc/containers/registries.conf'
const policyFile = '/etc/containers/policy.json'
const cluster = { name: 'cluster' }
const payload =
  'quay.io/release/image@sha256:4207ba569ff014931f1b5d125fe3751936a768e119546683c899eb09f3cdceb0'
const head = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`

/** What becomes of a cluster's word about images; the same on the embedded API server and on a real one. */
export function imageConfigCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, openshiftKinds)
    await controllerConfig(client)
    await makeNamespace(client, 'team')
  })
  beforeEach(async () => {
    await bases(client)
    await pool(client, 'master')
    await pool(client, 'worker')
    await pool(client, 'infra', false)
    await release(client, payload)
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [machineConfigs, machineConfigPools, ...openshiftKinds])
  })

  const has = (name: string, path: string, text: string | undefined): Promise<void> =>
    until(`${path} of ${name} is ${text}`, async () => (await fileOf(client, name, path)) === text)
  const type = 'machinist.dev/ImageConfigDegraded'
  const told = (name: string): Promise<Condition | undefined> => poolCondition(client, name, type)
  const says = (name: string, status: string, text = ''): Promise<void> =>
    poolSays(client, name, { type, status, text })
  const isTold = (about: string, reason: string, text: string): Promise<void> =>
    eventTells(client, { about, reason, text })
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

  it('built-in pools get what it comes to, and all changes of it', async () => {
    const { metadata } = await image(client)
    running = runImageConfig(client)
    await until('both have one', async () => (await namesOf(client, '99-')).length === 2)
    expect(await client.get(machineConfigs, { name: ofWorkers })).toMatchObject({
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
    const { ownerReferences } = (await client.get(machineConfigs, { name: ofWorkers })).metadata
    expect(ownerReferences![0]).not.toHaveProperty('controller')

    await change({ insecureRegistries: ['a.io'] })
    const insecure = '\n[[registry]]\n  prefix = ""\n  location = "a.io"\n  insecure = true\n'
    await has(ofMasters, conf, head + insecure)
    await has(ofWorkers, conf, head + insecure)
    await mirrored('one', 'quay.io', 'm.io')
    await has(ofWorkers, conf, head + entry('quay.io', 'm.io') + insecure)
    await change({ insecureRegistries: null })
    await has(ofMasters, conf, head + entry('quay.io', 'm.io'))
    // Somebody changes what is ours.
    await client.patch(machineConfigs, { name: ofMasters }, mergePatch({ spec: emptySpec }))
    await client.remove(machineConfigs, { name: ofWorkers })
    await has(ofMasters, conf, head + entry('quay.io', 'm.io'))
    await has(ofWorkers, conf, head + entry('quay.io', 'm.io'))
    expect(await told('worker')).toBeUndefined()
    await client.remove(config.imageDigestMirrorSets, { name: 'one' })
    await has(ofWorkers, conf, undefined)
    expect(running.metrics.text()).toContain(
      'machinist_settings_failing{kind="Image",name="cluster"} 0',
    )
  })

  it('where there is no Image or no ClusterVersion, there is nothing', async () => {
    await client.remove(config.clusterVersions, { name: 'version' })
    await mirrored('one', 'a.io', 'm.io')
    running = runImageConfig(client)
    await image(client)
    await client.remove(config.images, cluster)
    await release(client, payload)
    // It would have had every reason to do something by now.
    await mirrored('two', 'b.io ', 'm.io')
    await until('it has seen the last of it', () =>
      running.metrics.text().includes('result="success"} '),
    )
    expect(await namesOf(client, '99-')).toEqual([])
    await image(client)
    await says('worker', 'True', 'ImageDigestMirrorSet two')
    await has(ofWorkers, conf, head + entry('a.io', 'm.io'))
    await client.remove(config.images, cluster)
    await says('worker', 'False')
  })

  it('one that cannot be used is left out and named, nodes keep what they have of it, and the rest goes on', async () => {
    await image(client)
    await mirrored('one', 'a.io', 'm1.io')
    await mirrored('two', 'b.io', 'm2.io')
    running = runImageConfig(client)
    await has(ofWorkers, conf, head + entry('a.io', 'm1.io') + entry('b.io', 'm2.io'))
    await remirror('one', 'a.io', 'm1.io ')
    const problem =
      'ImageDigestMirrorSet one: spec.imageDigestMirrors[0].mirrors[0]: invalid format for mirror "m1.io "'
    await says('worker', 'True', problem)
    await says('master', 'True', problem)
    expect((await told('worker'))!.reason).toBe('BadMirrors')
    await isTold('ImageDigestMirrorSet', 'RegistriesFailed', problem)
    expect(running.metrics.text()).toContain(
      'machinist_settings_failing{kind="ImageDigestMirrorSet",name="one"} 1',
    )
    const { metadata } = await client.get(machineConfigPools, { name: 'worker' })
    await remirror('two', 'c.io', 'm3.io')
    const kept = entry('a.io', 'm1.io') + entry('b.io', 'm2.io') + entry('c.io', 'm3.io')
    await has(ofWorkers, conf, head + kept)
    await has(ofMasters, conf, head + kept)
    // There was nothing new to say.
    const { metadata: now } = await client.get(machineConfigPools, { name: 'worker' })
    expect(now.resourceVersion).toBe(metadata.resourceVersion)
    await remirror('one', 'a.io', 'm4.io')
    await has(ofWorkers, conf, head + entry('a.io', 'm4.io') + entry('c.io', 'm3.io'))
    await says('worker', 'False')
    await says('master', 'False')
    expect(running.metrics.text()).not.toContain('kind="ImageDigestMirrorSet"')
  })

  it('where nobody can say what is meant, all stays as it is, also for a new build', async () => {
    await image(client, { blockedRegistries: ['bad.io'] })
    running = runImageConfig(client)
    const blocked = '\n[[registry]]\n  prefix = ""\n  location = "bad.io"\n  blocked = true\n'
    await has(ofWorkers, conf, head + blocked)
    await change({ blockedRegistries: ['bad.io', '*worse.io'] })
    const problem = `MachineConfig ${ofWorkers} stays as it is: Image cluster: spec.registrySources.blockedRegistries[1]: invalid entry "*worse.io"`
    await says('worker', 'True', problem)
    expect((await told('worker'))!.reason).toBe('BadRegistries')
    await running.stop()
    running = runImageConfig(client, { build: 'machinist-2' })
    await until('it is of the new build', async () => {
      const { metadata } = await client.get(machineConfigs, { name: ofWorkers })
      return Object.values(metadata.annotations ?? {}).includes('machinist-2')
    })
    await has(ofWorkers, conf, head + blocked)
    await change({ blockedRegistries: ['quay.io'] })
    await says('worker', 'True', 'quay.io is not blocked, as nodes pull the release image quay.io')
    expect((await told('worker'))!.reason).toBe('PayloadProtected')
    await isTold('Image', 'PayloadProtected', 'quay.io is not blocked')
    await has(ofWorkers, conf, undefined)
    await release(client, 'other.io/release/image:1')
    await has(
      ofWorkers,
      conf,
      `${head}\n[[registry]]\n  prefix = ""\n  location = "quay.io"\n  blocked = true\n`,
    )
    await says('worker', 'False')
  })

  it('signatures are asked for, and a policy that another overrules is told so', async () => {
    const rootOfTrust = { policyType: 'PublicKey', publicKey: { keyData: 'eA==' } }
    const spec = (...scopes: string[]) => ({ scopes, policy: { rootOfTrust } })
    await image(client)
    const key = { namespace: 'team', name: 'ours' }
    await client.create(config.clusterImagePolicies, {
      metadata: { name: 'all' },
      spec: spec('a.io'),
    })
    await client.create(config.imagePolicies, { metadata: key, spec: spec('a.io/x', 'b.io') })
    running = runImageConfig(client)
    const pending = async (): Promise<Condition | undefined> =>
      (await client.get(config.imagePolicies, key)).status?.conditions?.[0]
    await until('it is told', async () => (await pending())?.reason === 'ConflictScopes')
    expect(await pending()).toMatchObject({
      type: 'Pending',
      status: 'False',
      message: expect.stringContaining('covers a.io/x,') as string,
    })
    await until(
      'there is a policy',
      async () => (await fileOf(client, ofWorkers, policyFile)) !== undefined,
    )
    const of = async (path: string): Promise<string[]> => {
      const { transports } = JSON.parse((await fileOf(client, ofWorkers, path)) ?? '{}') as {
        transports: { docker: object }
      }
      return Object.keys(transports.docker)
    }
    expect(await of(policyFile)).toEqual(['a.io'])
    expect(await of('/etc/crio/policies/team.json')).toEqual(['a.io', 'b.io'])
    await client.patch(config.imagePolicies, key, mergePatch({ spec: { scopes: ['b.io'] } }))
    await until('it is over', async () => (await pending())?.reason === 'AsExpected')
    expect(await told('worker')).toBeUndefined()
  })

  it('what a person made under our name stays, other pools go on, and what old releases made is replaced', async () => {
    const { metadata } = await client.get(machineConfigPools, { name: 'master' })
    const old = `99-master-${metadata.uid}-registries`
    await generatedConfig(client, old, 'master', emptySpec, 'machinist-0')
    await machineConfig(client, ofWorkers, 'worker', emptySpec)
    await image(client)
    await mirrored('one', 'a.io', 'm.io')
    running = runImageConfig(client)
    await says('worker', 'True', `MachineConfig ${ofWorkers} is not by a controller`)
    expect((await told('worker'))!.reason).toBe('NotOurs')
    await has(ofMasters, conf, head + entry('a.io', 'm.io'))
    await isGone(client, old)
    expect(await told('master')).toBeUndefined()
    expect(await fileOf(client, ofWorkers, conf)).toBeUndefined()
    await client.remove(machineConfigs, { name: ofWorkers })
    await has(ofWorkers, conf, head + entry('a.io', 'm.io'))
    await says('worker', 'False')
  })

  it('a kind that is no longer served takes nothing with it', async () => {
    await image(client)
    await client.create(config.imageContentSourcePolicies, {
      metadata: { name: 'one' },
      spec: { repositoryDigestMirrors: [{ source: 'a.io', mirrors: ['m.io'] }] },
    })
    running = runImageConfig(client)
    await has(ofWorkers, conf, head + entry('a.io', 'm.io'))
    await running.stop()
    await client.remove(config.imageContentSourcePolicies, { name: 'one' })
    running = runImageConfig(client, { lost: () => [config.imageContentSourcePolicies] })
    await says('worker', 'True', 'no longer serves ImageContentSourcePolicy')
    expect((await told('worker'))!.reason).toBe('BadMirrors')
    await has(ofWorkers, conf, head + entry('a.io', 'm.io'))
  })

  it.each<[string, () => Promise<unknown>]>([
    ['there is no Image', () => Promise.resolve()],
    [
      'its pool is no longer a built-in one',
      async () => {
        const labels = { 'machineconfiguration.openshift.io/mco-built-in': null }
        const unlabelled = mergePatch({ metadata: { labels } })
        await client.patch(machineConfigPools, { name: 'worker' }, unlabelled)
        await image(client)
      },
    ],
  ])("what the build before left becomes this build's as it is: %s", async (_, happens) => {
    await generatedConfig(client, ofWorkers, 'worker', emptySpec, 'machinist-0')
    await machineConfig(client, '99-infra-generated-registries', 'infra', emptySpec)
    await happens()
    running = runImageConfig(client)
    const by = async (name: string): Promise<string | undefined> =>
      (await client.get(machineConfigs, { name })).metadata.annotations?.[
        'machineconfiguration.openshift.io/generated-by-controller-version'
      ]
    await until('nobody waits for it', async () => (await by(ofWorkers)) === 'machinist-1')
    expect((await client.get(machineConfigs, { name: ofWorkers })).spec).toEqual(emptySpec)
    expect(await by('99-infra-generated-registries')).toBeUndefined()
  })

  it.each([
    [config.images, 'BadRegistries'],
    [config.clusterVersions, 'BadRelease'],
  ])(
    'that there is no $kind any more because the kind is gone is told as it is',
    async (place, reason) => {
      await generatedConfig(client, ofWorkers, 'worker', emptySpec)
      if (place === config.clusterVersions) {
        await image(client)
        await client.remove(config.clusterVersions, { name: 'version' })
      }
      running = runImageConfig(client, { lost: () => [place] })
      await says('worker', 'True', `no longer serves ${place.kind}`)
      await says('master', 'True', `MachineConfig ${ofMasters} is not made: `)
      expect((await told('worker'))!.message).toContain(
        `MachineConfig ${ofWorkers} stays as it is: `,
      )
      expect((await told('worker'))!.reason).toBe(reason)
    },
  )
}
