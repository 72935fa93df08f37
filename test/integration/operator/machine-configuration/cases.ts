import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { MachineConfiguration } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs, machineConfigurations } from '../../../../src/api/kinds/resources.ts'
import { TaskReports } from '../../../../src/operator/cluster-operator/tasks.ts'
import { machineConfigurationController } from '../../../../src/operator/machine-configuration/machine-configuration.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

const key = { name: 'cluster' }
const invalid = 'machinist.dev/NodeDisruptionPolicyInvalid'

/** Runs on the embedded API server and on a real one. Each case continues from the state of the last one. */
export function machineConfigurationCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
  })
  afterEach(() => running.stop())

  const run = (): void => {
    running = new RunningControllers(client, (given) => {
      const { follow } = given
      const caches = {
        machineConfigurations: follow(machineConfigurations),
        controllerConfigs: follow(controllerConfigs),
      }
      return machineConfigurationController(given, caches, { reports: new TaskReports() })
    })
  }
  const current = (): Promise<MachineConfiguration | undefined> =>
    ignoreNotFound(client.get(machineConfigurations, key))
  const observed = (): Promise<void> =>
    until('the newest policy is observed', async () => {
      const found = await current()
      const generation = found?.metadata.generation
      return generation !== undefined && found?.status?.observedGeneration === generation
    })
  const change = (nodeDisruptionPolicy: object | null): Promise<unknown> =>
    client.patch(machineConfigurations, key, mergePatch({ spec: { nodeDisruptionPolicy } }))
  const actionsFor = async (path: string): Promise<unknown> => {
    const policies = (await current())?.status?.nodeDisruptionPolicyStatus?.clusterPolicies
    return policies?.files?.find((file) => file.path === path)?.actions
  }

  it('creates the object, and reports the policy in effect', async () => {
    run()
    await observed()
    expect((await current())!.spec.managementState).toBe('Managed')
    expect(await actionsFor('/etc/containers/registries.conf')).toEqual([{ type: 'Special' }])
    const { metadata } = (await current())!
    await client.patch(
      machineConfigurations,
      key,
      mergePatch({ metadata: { annotations: { 'example.com/seen': '1' } } }),
    )
    await change({ files: [{ path: '/etc/mine', actions: [{ type: 'None' }] }] })
    await observed()
    expect(await actionsFor('/etc/mine')).toEqual([{ type: 'None' }])
    expect((await current())!.metadata.uid).toBe(metadata.uid)
  })

  it('writes nothing while nothing changes', async () => {
    const before = await current()
    run()
    await running.reconciled()
    expect(await current()).toEqual(before)
  })

  it('keeps the last valid policy while the new one is invalid, and reports the problem', async () => {
    run()
    await change({ files: [{ path: '', actions: [{ type: 'None' }] }] })
    await observed()
    expect(await actionsFor('/etc/mine')).toEqual([{ type: 'None' }])
    const { generation } = (await current())!.metadata
    expect((await current())!.status!.conditions).toMatchObject([
      {
        type: invalid,
        status: 'True',
        reason: 'BadPolicy',
        message:
          'spec.nodeDisruptionPolicy.files[0].path must not be empty. Correct these fields; until then, the last valid policy stays in effect',
        observedGeneration: generation,
      },
    ])
    expect(await running.told('MachineConfiguration')).toEqual(['Warning BadPolicy'])

    await change(null)
    await observed()
    expect(await actionsFor('/etc/mine')).toBeUndefined()
    expect((await current())!.status!.conditions).toMatchObject([
      { type: invalid, status: 'False', reason: 'AsExpected', message: '' },
    ])
  })

  it('creates the object again when it is deleted', async () => {
    run()
    const { uid } = (await current())!.metadata
    await client.remove(machineConfigurations, key)
    await until('it is there again', async () => {
      const found = await current()
      return found !== undefined && found.metadata.uid !== uid
    })
    await observed()
    expect(await actionsFor('/var/lib/kubelet/config.json')).toEqual([{ type: 'None' }])
  })
}
