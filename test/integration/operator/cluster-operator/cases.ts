import { afterEach, beforeAll, expect, it } from 'vitest'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { runUntil, until } from '@machinist/testing/until'
import type { ClusterOperator } from '../../../../src/api/openshift-config.ts'
import { clusterOperators } from '../../../../src/api/openshift-config.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { withoutConfig } from '../../../../src/operator/cluster-operator/caches.ts'
import { clusterOperatorController } from '../../../../src/operator/cluster-operator/cluster-operator.ts'
import { TaskReports } from '../../../../src/operator/cluster-operator/tasks.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { exampleControllerConfig } from '../../controllers/support/example-controller-config.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { installClusterOperators } from './definition.ts'

const name = 'machine-config'
const config = { name: 'machine-config-controller' }
const domain = 'machineconfiguration.openshift.io'
const os = 'os@sha256:1'

/** Runs on the embedded API server and on a real one. Each case continues from the state of the last one. */
export function clusterOperatorCases(client: KubeClient): void {
  let running: RunningControllers
  let reports: TaskReports

  beforeAll(async () => {
    await installDefinitions(client)
  })
  afterEach(() => running.stop())

  const run = (version = '4.16.0', clock: Clock = systemClock): void => {
    reports = new TaskReports()
    const build = version === '4.16.0' ? 'build-1' : 'build-2'
    running = new RunningControllers(
      client,
      (given) => {
        const { follow } = given
        const caches = {
          clusterOperators: follow(clusterOperators, { isOptional: true }),
          hasClusterOperators: () => true,
          pools: follow(api.machineConfigPools),
          machineConfigs: follow(api.machineConfigs, { transform: withoutConfig }),
          controllerConfigs: follow(api.controllerConfigs),
          machineConfigurations: follow(api.machineConfigurations),
          kubeletConfigs: follow(api.kubeletConfigs),
          containerRuntimeConfigs: follow(api.containerRuntimeConfigs),
          nodes: follow(nodes),
        }
        return clusterOperatorController(given, caches, { reports, version, build })
      },
      { clock },
    )
  }
  const current = (): Promise<ClusterOperator | undefined> =>
    ignoreNotFound(client.get(clusterOperators, { name }))
  /** `Degraded True RenderConfigFailed`: status and reason of each condition. */
  const lines = async (): Promise<string[]> =>
    ((await current())?.status?.conditions ?? []).map(({ type, status, reason = '' }) =>
      `${type} ${status} ${reason}`.trim(),
    )
  const message = async (type: string): Promise<string | undefined> =>
    (await current())?.status?.conditions?.find((condition) => condition.type === type)?.message
  const expectConditions = (...expected: readonly string[]): Promise<void> =>
    until(`the conditions are ${expected.join(', ')}`, async () => {
      const found = await lines()
      return expected.every((line) => found.includes(line))
    })
  const expectMessage = (type: string, text: string): Promise<void> =>
    until(`the message of ${type} is ${text}`, async () => (await message(type)) === text)
  const expectEvent = (event: string): Promise<void> =>
    until(`there is an event ${event}`, async () =>
      (await running.told('ClusterOperator')).includes(event),
    )
  const patchStatus = <T extends KubeObject>(
    resource: Resource<T>,
    object: string,
    status: object,
  ): Promise<T> =>
    client.patch(resource, { name: object }, mergePatch({ status }), { subresource: 'status' })

  const since = '2026-01-01T00:00:00Z'
  const condition = (type: string, status: string, text = ''): object => ({
    type,
    status,
    message: text,
    reason: 'Why',
    lastTransitionTime: since,
  })
  const rendered = async (release: string, build: string): Promise<void> => {
    const annotations = {
      [`${domain}/generated-by-controller-version`]: build,
      [`${domain}/release-image-version`]: release,
    }
    await client.create(api.machineConfigs, {
      metadata: { name: `rendered-master-${build}`, annotations },
      spec: { osImageURL: os },
    })
  }
  const poolAt = async (build: string, ...conditions: readonly object[]): Promise<void> => {
    const configuration = { name: `rendered-master-${build}`, source: [{ name: '99-mine' }] }
    const key = { name: 'master' }
    const { metadata } = await client.patch(
      api.machineConfigPools,
      key,
      mergePatch({ spec: { configuration } }),
    )
    const observedGeneration = metadata.generation
    await patchStatus(api.machineConfigPools, 'master', {
      observedGeneration,
      machineCount: 1,
      configuration,
      conditions,
    })
  }

  it('is not created while the kind is not served, and is created when it is', async () => {
    const clock = new VirtualClock()
    run('4.16.0', clock)
    await runUntil(clock, 'the controller has started', () =>
      running.logged.includes('controller started'),
    )
    await clock.advance(100)
    expect(running.metrics.text()).toContain(
      'machinist_operator_task_failing{task="RequiredPools"} 0',
    )
    await installClusterOperators(client)
    expect(await current()).toBeUndefined()
    let exists = false
    await runUntil(
      clock,
      'there is a ClusterOperator',
      () => {
        void current().then((found) => void (exists = found?.status !== undefined))
        return exists
      },
      1000,
    )
    expect((await current())!.status!.versions).toEqual([{ name: 'operator', version: '4.16.0' }])
  })

  it('becomes Available with a new cluster', async () => {
    run()
    await expectConditions(
      'Available False',
      'Progressing True',
      'Degraded False',
      'Upgradeable Unknown NoData',
    )
    expect(await message('Progressing')).toBe('Cluster is bootstrapping 4.16.0')

    const { spec } = exampleControllerConfig('plain-kubernetes')
    const labels = { [`operator.${domain}/required-for-upgrade`]: '' }
    await client.create(api.machineConfigPools, { metadata: { name: 'master', labels }, spec: {} })
    await client.create(api.controllerConfigs, {
      metadata: config,
      spec: { ...spec, baseOSContainerImage: os },
    })
    await expectConditions('Upgradeable True AsExpected')
    await until('lastSyncError reports the pool', async () => {
      return (
        (await current())?.status?.extension?.['lastSyncError'] ===
        'required MachineConfigPool master is not ready: no configuration is rendered yet'
      )
    })
    expect(await lines()).toContain('Available False')

    await client.create(api.machineConfigs, { metadata: { name: '99-mine' }, spec: {} })
    await rendered('4.16.0', 'build-1')
    await poolAt('build-1', condition('Updated', 'True'))
    await expectConditions('Available True AsExpected', 'Progressing False')
    expect(await lines()).toEqual([
      'Available True AsExpected',
      'Progressing False',
      'Degraded False',
      'Upgradeable True AsExpected',
      'EvaluationConditionsDetected False AsExpected',
    ])
    expect(await message('Available')).toBe('Cluster has deployed [{operator 4.16.0}]')
    expect(await message('Progressing')).toBe('Cluster version is 4.16.0')
    const { extension, relatedObjects } = (await current())!.status!
    expect(extension).toEqual({
      master: 'all 1 nodes are at latest configuration rendered-master-build-1',
    })
    expect(relatedObjects).toContainEqual({
      group: domain,
      resource: 'machineconfigpools',
      name: '',
    })
  })

  it('is written once for each change', async () => {
    const before = await current()
    run()
    await running.reconciled()
    expect(await current()).toEqual(before)

    reports.failed('MachineConfigPools', 'worker', 'refused')
    await expectConditions('Degraded True MachineConfigPoolsFailed')
    reports.done('MachineConfigPools', 'worker')
    await expectConditions('Degraded False')
    const writes = (): number =>
      running.logged.match(/wrote the status of the ClusterOperator/g)?.length ?? 0
    await until('it has written twice', () => writes() >= 2)
    expect(writes()).toBe(2)
  })

  it('reports all invalid inputs, and their recovery', async () => {
    run()
    const inputCondition = (type: string, status: string, text: string): object =>
      condition(`machinist.dev/InputDegraded.${type}`, status, text)
    await patchStatus(api.controllerConfigs, config.name, {
      conditions: [
        inputCondition('user-ca', 'True', 'it is empty'),
        inputCondition('cloud-ca', 'True', 'it has expired'),
      ],
    })
    await expectConditions('Degraded True RenderConfigFailed', 'Available True AsExpected')
    expect(await message('Degraded')).toBe(
      'Failed to resync 4.16.0 because: input cloud-ca: it has expired; input user-ca: it is empty',
    )
    expect(await message('Progressing')).toBe('Error while reconciling 4.16.0')
    await expectEvent('Warning OperatorDegraded: RenderConfigFailed')
    await patchStatus(api.controllerConfigs, config.name, {
      conditions: [inputCondition('user-ca', 'False', '')],
    })
    await expectConditions('Degraded False', 'Progressing False')
    await expectMessage('Progressing', 'Cluster version is 4.16.0')
  })

  it('reports pools that are degraded or paused', async () => {
    run()
    await poolAt(
      'build-1',
      condition('Updated', 'False'),
      condition('Degraded', 'True', 'disk full'),
    )
    await expectConditions('Degraded True RequiredPoolsFailed', 'Upgradeable False DegradedPool')
    expect(await message('Degraded')).toBe(
      'Failed to resync 4.16.0 because: MachineConfigPool master is not ready, retrying. Status: (pool degraded: true total: 1, ready 0, updated: 0, unavailable: 0, reason: disk full)',
    )
    const key = { name: 'master' }
    await client.patch(api.machineConfigPools, key, mergePatch({ spec: { paused: true } }))
    await poolAt('build-1', condition('Updated', 'False'), condition('Updating', 'False'))
    await expectConditions('Degraded True RequiredPoolsFailed', 'Upgradeable True AsExpected')
    await expectMessage(
      'Degraded',
      'Failed to resync 4.16.0 because: required MachineConfigPool master is paused; unpause it to continue the upgrade; changes are pending',
    )
    await client.patch(api.machineConfigPools, key, mergePatch({ spec: { paused: null } }))
    await poolAt('build-1', condition('Updated', 'True'))
    await expectConditions('Degraded False')
  })

  it('reports another version when the pools have reached it', async () => {
    run('4.17.0')
    await expectConditions('Progressing True', 'Available True AsExpected')
    expect(await message('Progressing')).toBe('Working towards 4.17.0')
    expect((await current())!.status!.versions).toEqual([{ name: 'operator', version: '4.16.0' }])
    await rendered('4.17.0', 'build-2')
    await poolAt('build-2', condition('Updated', 'True'))
    await expectConditions('Progressing False')
    await expectMessage('Available', 'Cluster has deployed [{operator 4.17.0}]')
    expect((await current())!.status!.versions).toEqual([{ name: 'operator', version: '4.17.0' }])
    await expectEvent('Normal OperatorVersionChanged')
  })

  it('is created again when it is deleted', async () => {
    run('4.17.0')
    const before = (await current())!.metadata.uid
    await client.remove(clusterOperators, { name })
    await until('it is there again', async () => {
      const found = await current()
      return found?.status?.versions !== undefined && found.metadata.uid !== before
    })
    await expectConditions('Available True AsExpected', 'Progressing False', 'Degraded False')
    expect(await message('Progressing')).toBe('Cluster version is 4.17.0')
  })

  it('reports kubelets that are too old for the version of the API server', async () => {
    run('4.17.0')
    const apiServer = 'kube-apiserver'
    await client.create(clusterOperators, { metadata: { name: apiServer }, spec: {} })
    const versions = [{ name: apiServer, version: '1.30.2' }]
    await patchStatus(clusterOperators, apiServer, { versions })
    const nodeSelector = { matchLabels: { 'node-role.kubernetes.io/master': '' } }
    await client.patch(
      api.machineConfigPools,
      { name: 'master' },
      mergePatch({ spec: { nodeSelector } }),
    )
    await poolAt('build-2', condition('Updated', 'True'))
    await expectConditions('Upgradeable True KubeletSkewUnchecked')
    const labels = { 'node-role.kubernetes.io/master': '' }
    await client.create(nodes, { metadata: { name: 'm-0', labels } })
    await patchStatus(nodes, 'm-0', { nodeInfo: nodeInfo('v1.27.9+1234567') })
    await expectConditions('Upgradeable True KubeletSkewUnsupported')
    expect(await message('Upgradeable')).toBe(
      'the kubelets of m-0 are too old for API server 1.30.2: update these nodes to 1.28 or newer',
    )
    await patchStatus(nodes, 'm-0', { nodeInfo: nodeInfo('v1.29.0') })
    await expectConditions('Upgradeable True AsExpected')
    await expectEvent('Warning KubeletSkewUnsupported')
  })
}

const nodeInfo = (kubeletVersion: string): object => ({
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion,
  machineID: '',
  operatingSystem: 'linux',
  osImage: '',
  systemUUID: '',
})
