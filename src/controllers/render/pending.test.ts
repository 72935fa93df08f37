import { describe, expect, it } from 'vitest'
import { fileWith, ignition, inputOf } from '../../fleet/render/render-inputs.fixture.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { renderInputs } from '../../fleet/render/renderer.ts'
import type { NodeSettings, PoolRenderFacts } from './facts.ts'
import { pendingChange } from './pending.ts'

const motd = inputOf('00-a', fileWith('/etc/motd', 'a'))
const images = { osImageURL: 'os', baseOSExtensionsContainerImage: '' }
const target = renderInputs('worker', [motd], images).name

function factsWith(more: Partial<PoolRenderFacts> = {}): PoolRenderFacts {
  return {
    pool: {
      metadata: { name: 'worker' },
      spec: { configuration: { name: target, source: [{ name: '00-a' }] } },
    },
    controllerConfig: {
      metadata: { name: 'machine-config-controller' },
      spec: { osImageURL: '', baseOSContainerImage: 'os' } as ControllerConfig['spec'],
    },
    nodeSettings: [],
    fromTemplates: [],
    inputs: [motd],
    inUse: [],
    foreignInputs: [],
    foreignConfigs: [],
    overrides: [],
    maker: { version: '1.2.3', build: '2' },
    release: 'main',
    ...more,
  }
}

const pending = (
  more: Partial<PoolRenderFacts> = {},
  made?: PoolRenderFacts['inputs'],
): string | undefined =>
  pendingChange(factsWith(more), (...merged) => renderInputs(...merged), made)

const kubeletConfig = (isGenerated: boolean, deletionTimestamp?: string): NodeSettings => ({
  kind: 'KubeletConfig',
  object: {
    metadata: { name: 'pods', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec: {},
  },
  isGenerated,
})

describe('a pool has a pending change', () => {
  it.each<[string, Partial<PoolRenderFacts>, string]>([
    [
      'a new MachineConfig',
      { inputs: [motd, inputOf('60-audit', { kernelArguments: ['audit=1'] })] },
      `MachineConfig 60-audit changed and ${target} does not include that yet`,
    ],
    [
      'a deleted MachineConfig',
      { inputs: [] },
      `MachineConfig 00-a changed and ${target} does not include that yet`,
    ],
    [
      'a MachineConfig that cannot be rendered',
      { inputs: [motd, inputOf('50-bad', ignition({ storage: { files: [{ path: 'x' }] } }))] },
      `MachineConfig 50-bad changed and ${target} does not include that yet`,
    ],
    [
      'another OS image',
      {
        controllerConfig: {
          metadata: { name: 'machine-config-controller' },
          spec: { osImageURL: '', baseOSContainerImage: 'os-2' } as ControllerConfig['spec'],
        },
      },
      `the inputs of this pool changed and ${target} does not include that yet`,
    ],
    [
      'a KubeletConfig without a MachineConfig',
      { nodeSettings: [kubeletConfig(false)] },
      `KubeletConfig pods changed and is not part of ${target} yet`,
    ],
    [
      'a KubeletConfig that is being deleted',
      { nodeSettings: [kubeletConfig(true, '2026-01-01T00:00:00Z')] },
      `KubeletConfig pods changed and is not part of ${target} yet`,
    ],
  ])('with %s', (_, more, message) => {
    expect(pending(more)).toBe(message)
  })

  it('with other contents of a MachineConfig, which is named if the last rendering is known', () => {
    const inputs = [inputOf('00-a', fileWith('/etc/motd', 'b'))]
    const rest = `changed and ${target} does not include that yet`
    expect(pending({ inputs })).toBe(`the inputs of this pool ${rest}`)
    expect(pending({ inputs }, [motd])).toBe(`MachineConfig 00-a ${rest}`)
  })
})

describe('a pool has no pending change', () => {
  it('when its inputs give the rendered MachineConfig that it points at', () => {
    expect(pending()).toBeUndefined()
    // Another object with the same contents, and one that adds nothing.
    expect(pending({ inputs: [inputOf('00-a', fileWith('/etc/motd', 'a'))] })).toBeUndefined()
    expect(pending({ inputs: [motd, inputOf('10-empty')] })).toBeUndefined()
    expect(pending({ nodeSettings: [kubeletConfig(true)] })).toBeUndefined()
  })

  it('before its first rendering, and without a ControllerConfig', () => {
    const pool = { metadata: { name: 'worker' }, spec: {} }
    expect(pending({ pool, inputs: [] })).toBeUndefined()
    expect(pending({ controllerConfig: undefined })).toBeUndefined()
  })
})
