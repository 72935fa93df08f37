import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Change, ChangeHandler } from '@machinist/kube/informer/change'
import { stillCache } from '../still-cache.fixture.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import type { SharedCache } from '../render/caches.ts'
import { poolSettings } from './pool-settings.ts'
import { baseOf, templateInputs } from './templates.ts'

const role = 'machineconfiguration.openshift.io/role'
const settings = poolSettings({
  metadata: { name: 'worker' },
  spec: { machineConfigSelector: { matchLabels: { [role]: 'worker' } } },
})
const machineConfig = (name: string): MachineConfig => ({ metadata: { name } })

function controllerConfig(
  conditions: readonly { type: string; status: string; message?: string }[],
  marks: Record<string, string> = {},
): ControllerConfig {
  const version = { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' }
  const name = 'machine-config-controller'
  return {
    metadata: { name, generation: 1, annotations: { ...version, ...marks } },
    spec: {},
    status: { observedGeneration: 1, conditions },
  } as unknown as ControllerConfig
}

const done = { type: 'TemplateControllerCompleted', status: 'True' }
const failing = { type: 'machinist.dev/TemplatesFailing.worker', status: 'True' }
const running = { type: 'TemplateControllerRunning', status: 'True' }

describe('the base of settings', () => {
  const found = (config: ControllerConfig | undefined, ...made: MachineConfig[]) =>
    baseOf(settings, '01-worker-kubelet', {
      caches: {
        controllerConfigs: config ? stillCache(config) : stillCache(),
        machineConfigs: stillCache(...made),
      },
      maker: { version: '1.2.3', build: 'b' },
    })

  it('is available when the templates are done', () => {
    const base = machineConfig('01-worker-kubelet')
    expect(found(controllerConfig([done]), base)).toEqual({ base })
  })

  it.each<[string, ControllerConfig | undefined]>([
    ['ControllerConfig machine-config-controller, which the operator creates', undefined],
    [
      'ControllerConfig machine-config-controller of version 1.2.3',
      controllerConfig([done], {
        'machineconfiguration.openshift.io/generated-by-version': '1.2.2',
      }),
    ],
    ['the worker templates', controllerConfig([])],
    [
      'the worker templates: no such file',
      controllerConfig([{ ...failing, message: 'no such file' }]),
    ],
    [
      'the worker templates: 3 of 7 are stored',
      controllerConfig([{ ...running, message: '3 of 7 are stored' }]),
    ],
    [
      'MachineConfig 00-worker of the templates of worker, which does not exist yet',
      controllerConfig([done], { 'machinist.dev/templates.worker': '{"00-worker":"a"}' }),
    ],
    ['MachineConfig 01-worker-kubelet of the worker templates', controllerConfig([done])],
  ])('waits for %s', (waitsFor, config) => {
    expect(found(config)).toEqual({ waitsFor })
  })
})

describe('keys are enqueued', () => {
  let woken: string[] = []
  function following<T extends KubeObject>(): [SharedCache<T>, (change: Change<T>) => string[]] {
    let handler: ChangeHandler<T> | undefined
    const subscribe = (given: ChangeHandler<T>): (() => void) => {
      handler = given
      return () => undefined
    }
    const wokenBy = (change: Change<T>): string[] => {
      woken = []
      void handler!(change)
      return woken
    }
    return [{ ...stillCache<T>(), subscribe }, wokenBy]
  }
  const [machineConfigs, byMachineConfig] = following<MachineConfig>()
  const [controllerConfigs, byControllerConfig] = following<ControllerConfig>()
  const inputs = templateInputs(
    { machineConfigs, controllerConfigs },
    (of) => `01-${of}-kubelet`,
    ({ metadata }) => metadata.labels?.['ours'] === '',
    () => ['a', 'b'],
  )
  for (const one of inputs) one.subscribe((key) => void woken.push(key))

  it.each([
    ['01-master-kubelet', ['a', 'b']],
    ['01-infra-kubelet', []],
    ['00-worker', []],
  ])('for the bases of built-in roles: %s', (name, keys) => {
    const object = machineConfig(name)
    expect(byMachineConfig({ type: 'added', object, initial: false })).toEqual(keys)
  })

  it('for other MachineConfigs of templates, because all must be in the cache', () => {
    const owner = { apiVersion: 'x/v1', kind: 'ControllerConfig', uid: 'u', controller: true }
    const object: MachineConfig = {
      metadata: {
        name: '00-worker',
        ownerReferences: [{ ...owner, name: 'machine-config-controller' }],
      },
    }
    expect(byMachineConfig({ type: 'added', object, initial: false })).toEqual(['a', 'b'])
    expect(byMachineConfig({ type: 'deleted', object, missed: false })).toEqual(['a', 'b'])
  })

  it('for a MachineConfig that is or was relevant', () => {
    const before = { metadata: { name: 'x', labels: { ours: '' } } }
    const object = machineConfig('x')
    expect(byMachineConfig({ type: 'updated', before, object })).toEqual(['a', 'b'])
    expect(byMachineConfig({ type: 'updated', before: object, object })).toEqual([])
  })

  it('for the template state of the ControllerConfig, and nothing else in it', () => {
    const before = controllerConfig([running])
    const by = (object: ControllerConfig): string[] =>
      byControllerConfig({ type: 'updated', before, object })
    expect(by(controllerConfig([done]))).toEqual(['a', 'b'])
    expect(by(controllerConfig([running, { type: 'Other', status: 'True' }]))).toEqual([])
  })
})
