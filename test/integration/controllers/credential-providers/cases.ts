import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { crioCredentialProviderConfigs as place } from '../../../../src/api/openshift-config.ts'
import * as api from '../../../../src/api/resources.ts'
import type { Condition, Resource } from '@machinist/core/resource'
import { parseYaml } from '@machinist/core/yaml'
import { credentialProvidersController } from '../../../../src/controllers/credential-providers/credential-providers.ts'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { filesSpec } from '../../../../src/controllers/generated/files-spec.ts'
import { OptionalKinds } from '../../../../src/controllers/optional-kinds.ts'
import type { KubeClient } from '@machinist/kube/client'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions, installLooseKinds } from '../../../../src/api/definitions.fixture.ts'
import { removeAll } from '@machinist/testing/remove-all'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import { begin } from '../kubelet-config/world.ts'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  maker,
  pool,
  theControllerConfig,
} from '../support/cluster-objects.ts'
import { filesOf, namesOf } from '../support/machine-configs.ts'
import { eventTells } from '../support/told.ts'

const cluster = { name: 'cluster' }
const directory = '/etc/kubernetes/credential-providers'
const generic = `${directory}/generic-credential-provider.yaml`
const dropin =
  '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf'
const nameFor = (of: string): string => `97-${of}-generated-credentialproviderconfig`

/** The controller at work on a cluster; it may be told that kinds were lost. */
function run(client: KubeClient, lost?: () => readonly Resource[]): RunningControllers {
  return new RunningControllers(client, ({ follow, ...given }) => {
    const optional = new OptionalKinds(given, given.start)
    const caches = {
      pools: follow(api.machineConfigPools),
      machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
      controllerConfigs: follow(api.controllerConfigs),
      credentialProviderConfigs: optional.follow(place),
      lostKinds: lost ?? optional.lost,
    }
    return credentialProvidersController({ ...given, caches, maker })
  })
}

/** What a CRIOCredentialProviderConfig comes to; the same on the embedded API server and on a real one. */
export function credentialProvidersCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, [place])
    await controllerConfig(client)
  })
  beforeEach(() => begin(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [place, api.machineConfigs, api.machineConfigPools])
  })

  const ask = (...matchImages: string[]): Promise<unknown> =>
    client.create(place, { metadata: cluster, spec: { matchImages } })
  const change = (matchImages: string[] | null): Promise<unknown> =>
    client.patch(place, cluster, mergePatch({ spec: { matchImages } }))
  const are = (...pools: string[]): Promise<void> =>
    until(`there is one for ${pools.join(', ')}`, async () => {
      return (await namesOf(client, '97-')).join() === pools.map(nameFor).join()
    })
  /** Whom kubelets of a pool ask about what. */
  const asked = async (of: string, path = generic): Promise<Record<string, string[]>> => {
    const text = (await filesOf(client, nameFor(of)))?.[path] ?? 'providers: []'
    const { providers } = parseYaml(text, path) as {
      providers: { name: string; matchImages: string[] }[]
    }
    return Object.fromEntries(providers.map((one) => [one.name, one.matchImages]))
  }
  const says = async (type: string, status: string, text: string): Promise<Condition> => {
    let found: Condition | undefined
    await until(`it says ${type} ${status} ${text}`, async () => {
      found = conditionOf((await client.get(place, cluster)).status?.conditions, type)
      return found?.status === status && (found.message ?? '').includes(text)
    })
    return found!
  }
  const gauge = (): string =>
    /machinist_settings_failing\{.*/.exec(running.metrics.text())?.[0] ?? 'none'

  it('every pool asks, either by its own MachineConfig or by that of workers, until nobody wants it', async () => {
    await pool(client, 'lone', ['lone'])
    await ask('quay.io', 'myhost.com')
    running = run(client)
    await are('lone', 'master', 'worker')
    expect(await asked('worker')).toEqual({ 'crio-credential-provider': ['myhost.com', 'quay.io'] })
    expect(Object.keys((await filesOf(client, nameFor('master')))!)).toEqual([generic, dropin])
    const { metadata } = await client.get(api.machineConfigs, { name: nameFor('worker') })
    expect(metadata).toMatchObject({
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      ownerReferences: [{ kind: 'CRIOCredentialProviderConfig', name: 'cluster' }],
    })
    expect(metadata.ownerReferences![0]).not.toHaveProperty('controller')
    const validated = await says('Validated', 'True', 'Success')
    expect(validated).toMatchObject({ reason: 'Succeeded', observedGeneration: 1 })
    const rendered = await says('MachineConfigRendered', 'True', 'Success')
    expect(rendered.reason).toBe('MachineConfigRenderingSucceeded')
    await change(['other.io'])
    await until('it is changed', async () => {
      return String((await asked('worker'))['crio-credential-provider']) === 'other.io'
    })
    await change(null)
    await are()
    await says('MachineConfigRendered', 'True', 'no MachineConfig is made')
    await change(['quay.io'])
    await are('lone', 'master', 'worker')
    await client.remove(place, cluster)
    await are()
    await until('nothing is counted any more', () => gauge() === 'none')
  })

  it('what the cloud is asked about is left out, and told', async () => {
    const path = `${directory}/gcr-credential-provider.yaml`
    const text = `{providers: [{name: gcr-credential-provider, matchImages: ['*.gcr.io']}]}`
    const template = async (role: string, said: string): Promise<void> => {
      const name = `01-${role}-kubelet`
      await client.remove(api.machineConfigs, { name })
      await generatedConfig(client, name, role, filesSpec([{ path, text: said }]))
    }
    await template('master', text)
    await template('worker', text)
    await ask('a.gcr.io', 'quay.io')
    running = run(client)
    await are('master', 'worker')
    expect(await asked('worker', path)).toEqual({
      'gcr-credential-provider': ['*.gcr.io'],
      'crio-credential-provider': ['quay.io'],
    })
    expect(Object.keys((await filesOf(client, nameFor('worker')))!)).toEqual([path])
    const { reason } = await says(
      'Validated',
      'False',
      '"a.gcr.io" (gcr-credential-provider is asked about "*.gcr.io")',
    )
    expect(reason).toBe('ConfigurationPartiallyApplied')
    expect(gauge()).toMatch(/\{kind="CRIOCredentialProviderConfig",name="cluster"\} 1$/)
    await eventTells(client, { reason: 'SettingsFailed', about: place.kind, text: 'a.gcr.io' })
    await change(['a.gcr.io'])
    await are()
    await change(['quay.io'])
    await says('Validated', 'True', 'Success')
    expect(gauge()).toMatch(/ 0$/)
    await template('worker', '[]')
    const where = `${path} in MachineConfig 01-worker-kubelet`
    await says('MachineConfigRendered', 'False', `${where} is no CredentialProviderConfig`)
    await are('master', 'worker')
  })

  it('what a person made under our name stays, and what another build made is made anew', async () => {
    await machineConfig(client, nameFor('worker'), 'worker', emptySpec)
    await generatedConfig(client, nameFor('master'), 'master', emptySpec, 'machinist-0')
    await generatedConfig(client, nameFor('gone'), 'gone', emptySpec, 'machinist-0')
    await ask('quay.io')
    running = run(client)
    const { reason } = await says(
      'MachineConfigRendered',
      'False',
      `MachineConfig ${nameFor('worker')} is not by a controller`,
    )
    expect(reason).toBe('MachineConfigRenderingFailed')
    await are('master', 'worker')
    expect(await asked('master')).toEqual({ 'crio-credential-provider': ['quay.io'] })
    await client.remove(api.machineConfigs, { name: nameFor('worker') })
    await says('MachineConfigRendered', 'True', 'Success')
    expect(await asked('worker')).toEqual({ 'crio-credential-provider': ['quay.io'] })
  })

  it('nodes that do not run CRI-O have no provider of it', async () => {
    const runtime = (value: string | null): Promise<unknown> => {
      const annotations = { 'machinist.dev/container-runtime': value }
      const patch = mergePatch({ metadata: { annotations } })
      return client.patch(api.controllerConfigs, theControllerConfig, patch)
    }
    await ask('quay.io')
    running = run(client)
    await are('master', 'worker')
    await runtime('containerd')
    await are()
    const { reason } = await says('MachineConfigRendered', 'False', 'its nodes do not run CRI-O')
    expect(reason).toBe('MachineConfigRenderingFailed')
    await runtime(null)
    await are('master', 'worker')
  })

  it('a kind that is no longer served takes nothing away', async () => {
    await generatedConfig(client, nameFor('worker'), 'worker', emptySpec)
    running = run(client, () => [place])
    await until('it is missed', () => gauge().endsWith(' 1'))
    expect(await namesOf(client, '97-')).toEqual([nameFor('worker')])
  })
}
