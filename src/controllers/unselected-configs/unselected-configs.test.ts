import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { configOf } from '../../fleet/render/render-inputs.fixture.ts'
import { stillCache } from '../still-cache.fixture.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { unselectedReason } from './decide.ts'
import { unselectedConfigsController } from './unselected-configs.ts'

const role = 'machineconfiguration.openshift.io/role'
const pool = (name: string): MachineConfigPool => ({
  metadata: { name },
  spec: { machineConfigSelector: { matchLabels: { [role]: name } } },
})
const pools = [pool('master'), pool('worker')]
const nameOf = (about: object): string => ('name' in about ? String(about.name) : '')
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'

describe('a MachineConfig that no pool selects', () => {
  it('is reported with its label and the existing pools', () => {
    expect(unselectedReason(configOf('50-a', {}, 'wroker'), pools)).toBe(
      'No MachineConfigPool selects MachineConfig 50-a, so it has no effect: its label machineconfiguration.openshift.io/role is wroker. Set the label to the name of a pool; existing pools: master, worker',
    )
    expect(unselectedReason({ metadata: { name: '50-a' } }, pools)).toBe(
      'No MachineConfigPool selects MachineConfig 50-a, so it has no effect: it has no label machineconfiguration.openshift.io/role. Set the label to the name of a pool; existing pools: master, worker',
    )
  })

  it.each<[string, MachineConfig]>([
    ['selected', configOf('50-a')],
    ['generated', { metadata: { name: '50-a', annotations: { [generatedBy]: 'x' } } }],
    [
      'rendered',
      {
        metadata: {
          name: 'rendered-worker-1',
          ownerReferences: [
            {
              apiVersion: 'x/v1',
              kind: 'MachineConfigPool',
              name: 'worker',
              uid: 'u',
              controller: true,
            },
          ],
        },
      },
    ],
  ])('does not include one that is %s', (_, machineConfig) => {
    expect(unselectedReason(machineConfig, pools)).toBeUndefined()
  })

  it('gets one event for its contents, after a delay', async () => {
    const clock = new VirtualClock()
    const emitted: string[] = []
    const configs = [configOf('50-a', {}, 'wroker')]
    const events: EventRecorder = {
      normal: () => undefined,
      warning: (about, reason) => void emitted.push(`${about.kind} ${nameOf(about)} ${reason}`),
    }
    const tools = { clock, events } as Partial<ControllerContext> as ControllerContext
    const controller = unselectedConfigsController(tools, {
      machineConfigs: { ...stillCache(), get: () => configs[0], list: () => configs },
      pools: stillCache(...pools),
    })
    const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
    const reconcile = () => controller.reconcile('50-a', context)
    expect(await reconcile()).toEqual({ type: 'requeue', afterMs: 5000 })
    expect(emitted).toEqual([])
    await clock.advance(5000)
    await reconcile()
    await reconcile()
    expect(emitted).toEqual(['MachineConfig 50-a NotSelected'])
    configs[0] = configOf('50-a', { kernelArguments: ['x'] }, 'wroker')
    await reconcile()
    await clock.advance(5000)
    await reconcile()
    expect(emitted).toHaveLength(2)
  })
})
