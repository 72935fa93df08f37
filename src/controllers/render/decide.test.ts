import { describe, expect, it } from 'vitest'
import { fileWith, inputOf } from '../../fleet/render/render-inputs.fixture.ts'
import { renderInputs } from '../../fleet/render/renderer.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import type { RenderPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { ReadPoolFacts, RenderFacts } from './facts.ts'

const input = inputOf('00-a', fileWith('/etc/motd', 'a'))
const controllerConfig: ControllerConfig = {
  metadata: {
    name: 'machine-config-controller',
    annotations: { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' },
  },
  spec: { baseOSContainerImage: 'os' } as ControllerConfig['spec'],
  status: { conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }] },
}
/** The config of another controller, with other contents. */
const foreign: MachineConfig = {
  metadata: {
    name: 'rendered-worker-theirs',
    annotations: {
      'machineconfiguration.openshift.io/generated-by-controller-version':
        '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6',
    },
  },
  spec: { config: { ignition: { version: '3.5.0' } }, kernelArguments: ['theirs'] },
}

function read(more: Partial<ReadPoolFacts> = {}): ReadPoolFacts {
  return {
    type: 'pool',
    windowMs: 0,
    isOfOtherOperator: false,
    pool: {
      metadata: { name: 'worker' },
      spec: {
        machineConfigSelector: { matchLabels: { a: 'b' } },
        configuration: { name: 'rendered-worker-before', source: [{ name: '00-a' }] },
      },
    },
    controllerConfig,
    nodeSettings: [],
    fromTemplates: [],
    inputs: [input],
    inUse: [],
    foreignInputs: [],
    foreignConfigs: [],
    overrides: [],
    maker: { version: '1.2.3', build: '2' },
    release: 'main',
    ...more,
  }
}

const planOf = (facts: RenderFacts): RenderPlan =>
  decide(facts, (...merged) => renderInputs(...merged))
const pending =
  'the inputs of this pool changed and rendered-worker-before does not include that yet'

describe('the plan for a pool', () => {
  it('is to render, and to report the pending change before', () => {
    expect(planOf(read())).toMatchObject({ action: 'render', warnings: [], pending })
  })

  it('has no pending change if the inputs are rendered', () => {
    const { name } = renderInputs('worker', [input], {
      osImageURL: 'os',
      baseOSExtensionsContainerImage: '',
    })
    const { pool } = read()
    const spec = { ...pool.spec, configuration: { name } }
    const plan = planOf(read({ pool: { ...pool, spec } }))
    expect(plan).toMatchObject({ action: 'render', rendered: { name } })
    expect(plan).not.toHaveProperty('pending')
  })

  it('names the inputs that changed since the last rendering', () => {
    const previousInputs = [inputOf('00-a', fileWith('/etc/motd', 'before'))]
    expect(planOf(read({ previousInputs }))).toMatchObject({
      pending: 'MachineConfig 00-a changed and rendered-worker-before does not include that yet',
    })
  })

  it('is to block with the pending change if a check fails', () => {
    const maker = { version: '1.2.4', build: '2' }
    expect(planOf(read({ maker }))).toMatchObject({
      action: 'block',
      check: 'controllerConfigHasOwnVersion',
      block: { waiting: true },
      pending,
    })
  })

  it('is to report the pending change and to wait while the batch window is open', () => {
    expect(planOf(read({ windowMs: 300 }))).toEqual({ action: 'wait', afterMs: 300, pending })
  })

  it('is only to wait if the pending change is reported already', () => {
    expect(planOf({ type: 'batching', windowMs: 300 })).toEqual({
      action: 'wait',
      afterMs: 300,
    })
  })

  it('is to hold a config of another controller after the batch window', () => {
    const facts = read({ foreignConfigs: [foreign], isOfOtherOperator: true })
    expect(planOf(facts)).toMatchObject({
      action: 'hold',
      hold: { config: 'rendered-worker-theirs' },
    })
    expect(planOf({ ...facts, windowMs: 300 })).toEqual({ action: 'wait', afterMs: 300 })
  })

  it('is to leave the pool to another operator, also while the batch window is open', () => {
    const facts = read({ isOfOtherOperator: true })
    expect(planOf(facts)).toEqual({ action: 'leave' })
    expect(planOf({ ...facts, windowMs: 300 })).toEqual({ action: 'leave' })
  })

  it('is to delete obsolete configs, before the rendering or after it', () => {
    const configs = [foreign]
    expect(planOf({ type: 'obsolete', phase: 'release', configs })).toEqual({
      action: 'delete',
      configs,
      nextPhase: 'render',
    })
    expect(planOf({ type: 'obsolete', phase: 'prune', configs })).toEqual({
      action: 'delete',
      configs,
    })
    expect(planOf(read())).toMatchObject({ action: 'render', nextPhase: 'prune' })
  })
})
