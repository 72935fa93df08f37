import { describe, expect, it } from 'vitest'
import type { MachineOSBuild, MachineOSConfig } from '../../api/kinds/resources.ts'
import { buildFor, imageState } from './layering.ts'

const image = `registry.example.com/os@sha256:${'a'.repeat(64)}`
const other = `registry.example.com/os@sha256:${'b'.repeat(64)}`

function config(currentImagePullSpec?: string, annotations = {}): MachineOSConfig {
  return {
    metadata: { name: 'infra', annotations },
    spec: { machineConfigPool: { name: 'infra' } } as MachineOSConfig['spec'],
    ...(currentImagePullSpec !== undefined && { status: { currentImagePullSpec } }),
  }
}

function build(condition?: string, digestedImagePushSpec?: string, name = 'b1'): MachineOSBuild {
  const conditions = condition
    ? [
        {
          type: condition,
          status: 'True' as const,
          reason: 'X',
          message: '',
          lastTransitionTime: '',
        },
      ]
    : []
  return {
    metadata: { name },
    spec: {
      machineConfig: { name: 'rendered-1' },
      machineOSConfig: { name: 'infra' },
      renderedImagePushSpec: 'registry.example.com/os:latest',
    },
    status: { conditions, ...(digestedImagePushSpec && { digestedImagePushSpec }) },
  }
}

describe('the image of a pool', () => {
  it.each<[string, MachineOSConfig | undefined, MachineOSBuild | undefined, string]>([
    ['no MachineOSConfig', undefined, undefined, 'not layered'],
    ['no build yet', config(), undefined, 'awaited'],
    ['a build without a MachineOSConfig', undefined, build(), 'failed'],
    ['both empty', config(), build(), 'awaited'],
    ['prepared', config(), build('Prepared'), 'awaited'],
    ['building', config(), build('Building'), 'awaited'],
    ['failed', config(), build('Failed'), 'failed'],
    ['interrupted', config(), build('Interrupted'), 'failed'],
    ['built, images differ', config(other), build('Succeeded', image), 'awaited'],
    ['built, not in the status', config(), build('Succeeded', image), 'awaited'],
    ['built', config(image), build('Succeeded', image), 'built'],
  ])('%s', (_, osConfig, osBuild, expected) => {
    expect(imageState(osConfig, osBuild).type).toBe(expected)
  })

  it('comes from the build of the rendered config, the current build first', () => {
    const builds = [build('Succeeded', image, 'b1'), build('Building', undefined, 'b2')]
    const key = 'machineconfiguration.openshift.io/current-machine-os-build'
    expect(buildFor(config(), 'rendered-1', builds)?.metadata.name).toBe('b1')
    expect(buildFor(config(image, { [key]: 'b2' }), 'rendered-1', builds)?.metadata.name).toBe('b2')
    expect(buildFor(config(image, { [key]: 'b2' }), 'rendered-2', builds)).toBeUndefined()
  })
})
