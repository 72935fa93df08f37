import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Condition, Resource } from '@machinist/core/objects/resource'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { crioCredentialProviderConfigs as resource } from '../../../../src/api/openshift-config.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { credentialProvidersController } from '../../../../src/controllers/credential-providers/credential-providers.ts'
import { filesSpec } from '../../../../src/controllers/generated/files-spec.ts'
import { OptionalKinds } from '../../../../src/controllers/caches/optional-kinds.ts'
import {
  installDefinitions,
  installLooseKinds,
} from '../../../../src/api/definitions/definitions.fixture.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { createPoolsAndBases } from '../kubelet-config/running-controller.ts'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  maker,
  pool,
} from '../support/cluster-objects.ts'
import { filesOf, namesOf } from '../support/machine-configs.ts'
import { untilEvent } from '../support/reported.ts'
import { setContainerRuntime, settingsCaches } from '../support/settings-controllers.ts'

const cluster = { name: 'cluster' }
const directory = '/etc/kubernetes/credential-providers'
const generic = `${directory}/generic-credential-provider.yaml`
const dropin =
  '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf'
const nameFor = (of: string): string => `97-${of}-generated-credentialproviderconfig`

/** Runs the controller; `lost` simulates kinds that are no longer served. */
function run(client: KubeClient, lost?: () => readonly Resource[]): RunningControllers {
  return new RunningControllers(client, (given) => {
    const optional = new OptionalKinds(given, given.start)
    const caches = {
      ...settingsCaches(given),
      credentialProviderConfigs: optional.follow(resource),
      lostKinds: lost ?? optional.lost,
    }
    return credentialProvidersController(given, caches, { maker })
  })
}

/** Runs on the embedded API server and on a real one. */
export function credentialProvidersCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, [resource])
    await controllerConfig(client)
  })
  beforeEach(() => createPoolsAndBases(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [resource, api.machineConfigs, api.machineConfigPools])
  })

  const createConfig = (...matchImages: string[]): Promise<unknown> =>
    client.create(resource, { metadata: cluster, spec: { matchImages } })
  const change = (matchImages: string[] | null): Promise<unknown> =>
    client.patch(resource, cluster, mergePatch({ spec: { matchImages } }))
  const expectConfigs = (...pools: string[]): Promise<void> =>
    until(`there is one for ${pools.join(', ')}`, async () => {
      return (await namesOf(client, '97-')).join() === pools.map(nameFor).join()
    })
  /** The images of each credential provider of a pool. */
  const providersOf = async (of: string, path = generic): Promise<Record<string, string[]>> => {
    const text = (await filesOf(client, nameFor(of)))?.[path] ?? 'providers: []'
    const { providers } = parseYaml(text, path) as {
      providers: { name: string; matchImages: string[] }[]
    }
    return Object.fromEntries(providers.map((one) => [one.name, one.matchImages]))
  }
  const expectCondition = async (
    type: string,
    status: string,
    text: string,
  ): Promise<Condition> => {
    let found: Condition | undefined
    await until(`${type} is ${status}: ${text}`, async () => {
      found = conditionOf((await client.get(resource, cluster)).status?.conditions, type)
      return found?.status === status && (found.message ?? '').includes(text)
    })
    return found!
  }
  const gauge = (): string =>
    /machinist_settings_failing\{.*/.exec(running.metrics.text())?.[0] ?? 'none'

  it('every pool uses the provider, by its own MachineConfig or by that of workers, until it is removed', async () => {
    await pool(client, 'lone', ['lone'])
    await createConfig('quay.io', 'myhost.com')
    running = run(client)
    await expectConfigs('lone', 'master', 'worker')
    expect(await providersOf('worker')).toEqual({
      'crio-credential-provider': ['myhost.com', 'quay.io'],
    })
    expect(Object.keys((await filesOf(client, nameFor('master')))!)).toEqual([generic, dropin])
    const { metadata } = await client.get(api.machineConfigs, { name: nameFor('worker') })
    expect(metadata).toMatchObject({
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      ownerReferences: [{ kind: 'CRIOCredentialProviderConfig', name: 'cluster' }],
    })
    expect(metadata.ownerReferences![0]).not.toHaveProperty('controller')
    const validated = await expectCondition('Validated', 'True', 'Success')
    expect(validated).toMatchObject({ reason: 'Succeeded', observedGeneration: 1 })
    const rendered = await expectCondition('MachineConfigRendered', 'True', 'Success')
    expect(rendered.reason).toBe('MachineConfigRenderingSucceeded')
    await change(['other.io'])
    await until('it is changed', async () => {
      return String((await providersOf('worker'))['crio-credential-provider']) === 'other.io'
    })
    await change(null)
    await expectConfigs()
    await expectCondition('MachineConfigRendered', 'True', 'no MachineConfig is needed')
    await change(['quay.io'])
    await expectConfigs('lone', 'master', 'worker')
    await client.remove(resource, cluster)
    await expectConfigs()
    await until('the metric is gone', () => gauge() === 'none')
  })

  it("images that the cloud's provider covers are skipped and reported", async () => {
    const path = `${directory}/gcr-credential-provider.yaml`
    const text = `{providers: [{name: gcr-credential-provider, matchImages: ['*.gcr.io']}]}`
    const template = async (role: string, content: string): Promise<void> => {
      const name = `01-${role}-kubelet`
      await client.remove(api.machineConfigs, { name })
      await generatedConfig(client, name, role, filesSpec([{ path, text: content }]))
    }
    await template('master', text)
    await template('worker', text)
    await createConfig('a.gcr.io', 'quay.io')
    running = run(client)
    await expectConfigs('master', 'worker')
    expect(await providersOf('worker', path)).toEqual({
      'gcr-credential-provider': ['*.gcr.io'],
      'crio-credential-provider': ['quay.io'],
    })
    expect(Object.keys((await filesOf(client, nameFor('worker')))!)).toEqual([path])
    const { reason } = await expectCondition(
      'Validated',
      'False',
      '"a.gcr.io" (gcr-credential-provider already covers "*.gcr.io")',
    )
    expect(reason).toBe('ConfigurationPartiallyApplied')
    expect(gauge()).toMatch(/\{kind="CRIOCredentialProviderConfig",name="cluster"\} 1$/)
    await untilEvent(client, { reason: 'SettingsFailed', about: resource.kind, text: 'a.gcr.io' })
    await change(['a.gcr.io'])
    await expectConfigs()
    await change(['quay.io'])
    await expectCondition('Validated', 'True', 'Success')
    expect(gauge()).toMatch(/ 0$/)
    await template('worker', '[]')
    const where = `${path} in MachineConfig 01-worker-kubelet`
    await expectCondition(
      'MachineConfigRendered',
      'False',
      `${where} is not a CredentialProviderConfig`,
    )
    await expectConfigs('master', 'worker')
  })

  it("a user's MachineConfig of the same name is kept, and that of another build is rewritten", async () => {
    await machineConfig(client, nameFor('worker'), 'worker', emptySpec)
    await generatedConfig(client, nameFor('master'), 'master', emptySpec, 'machinist-0')
    await generatedConfig(client, nameFor('gone'), 'gone', emptySpec, 'machinist-0')
    await createConfig('quay.io')
    running = run(client)
    const { reason } = await expectCondition(
      'MachineConfigRendered',
      'False',
      `MachineConfig ${nameFor('worker')} was not generated by a controller`,
    )
    expect(reason).toBe('MachineConfigRenderingFailed')
    await expectConfigs('master', 'worker')
    expect(await providersOf('master')).toEqual({ 'crio-credential-provider': ['quay.io'] })
    await client.remove(api.machineConfigs, { name: nameFor('worker') })
    await expectCondition('MachineConfigRendered', 'True', 'Success')
    expect(await providersOf('worker')).toEqual({ 'crio-credential-provider': ['quay.io'] })
  })

  it("nodes that do not run CRI-O do not get CRI-O's provider", async () => {
    await createConfig('quay.io')
    running = run(client)
    await expectConfigs('master', 'worker')
    await setContainerRuntime(client, 'containerd')
    await expectConfigs()
    const { reason } = await expectCondition(
      'MachineConfigRendered',
      'False',
      'its nodes do not run CRI-O',
    )
    expect(reason).toBe('MachineConfigRenderingFailed')
    await setContainerRuntime(client, null)
    await expectConfigs('master', 'worker')
  })

  it('a MachineConfig is kept while the kind is no longer served', async () => {
    await generatedConfig(client, nameFor('worker'), 'worker', emptySpec)
    running = run(client, () => [resource])
    await until('the metric reports it', () => gauge().endsWith(' 1'))
    expect(await namesOf(client, '97-')).toEqual([nameFor('worker')])
  })
}
