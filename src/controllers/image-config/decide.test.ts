import { describe, expect, it } from 'vitest'
import { imageContentSourcePolicies, images } from '../../api/openshift-config.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { configsByName } from '../generated/caches.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { imageObjects } from './image-objects.fixture.ts'
import { decide } from './decide.ts'
import type { ImageConfigFacts, PoolBase } from './facts.ts'

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const byVersion = 'machineconfiguration.openshift.io/generated-by-version'
const maker = { version: '1.2.3', build: 'machinist-b' }
const files = { registries: '', policy: '{"default":[{"type":"insecureAcceptAnything"}]}' }
const spec = filesSpec([{ path: '/etc/containers/registries.conf', text: 'old' }])

const pool = (name: string): MachineConfigPool => ({ metadata: { name }, spec: {} })
const controllerConfig = (version: string): ControllerConfig =>
  ({
    metadata: { name: 'c', annotations: { [byVersion]: version } },
  }) as unknown as ControllerConfig
const generated = (of: string, build = 'machinist-a'): MachineConfig => ({
  metadata: { name: `99-${of}-generated-registries`, annotations: { [generatedBy]: build } },
  spec,
})
const objects = imageObjects()

const facts = (
  bases: Record<string, PoolBase>,
  more: Partial<ImageConfigFacts> = {},
): ImageConfigFacts => ({
  image: { image: objects.image },
  objects,
  lost: [],
  controllerConfig: controllerConfig(maker.version),
  bases: new Map(Object.entries(bases).map(([name, base]) => [pool(name), base])),
  stored: configsByName([generated('worker')]),
  maker,
  ...more,
})
const byName = ({ pools }: ReturnType<typeof decide>) =>
  Object.fromEntries([...pools].map(([{ metadata }, plan]) => [metadata.name, plan]))

describe('pools', () => {
  it('are independent of each other', () => {
    const unreadable = '/etc/containers/policy.json in MachineConfig a: no data URL'
    const plan = decide(
      facts({ arbiter: { waitsFor: 'its templates' }, master: { files }, worker: { unreadable } }),
    )
    expect(plan.waits).toEqual(['pool arbiter waits for its templates'])
    expect(byName(plan)).toEqual({
      master: { spec: { config: { ignition: { version: '3.2.0' } } }, problems: [] },
      worker: { spec, problems: [{ reason: 'NoBase', effect: 'held', message: unreadable }] },
    })
  })

  it('keep their MachineConfigs and do not wait while a required object is missing', () => {
    const bases = { master: { waitsFor: 'its templates' }, worker: { files } }
    const plan = decide(facts(bases, { objects: undefined, lost: [images] }))
    const problems = [{ reason: 'BadRegistries', effect: 'held' }]
    expect([plan.settings, plan.waits]).toEqual([undefined, []])
    expect(byName(plan)).toMatchObject({
      master: { spec: undefined, problems },
      worker: { spec, problems },
    })
  })

  it('keep their MachineConfigs while a kind is no longer served', () => {
    const plan = decide(facts({ worker: { files } }, { lost: [imageContentSourcePolicies] }))
    expect(byName(plan)['worker']).toMatchObject({ spec, problems: [{ reason: 'BadMirrors' }] })
  })
})

describe('a MachineConfig that is no longer generated', () => {
  const leftoversOf = (more: Partial<ImageConfigFacts> = {}) =>
    decide(facts({ worker: { files } }, more)).leftovers

  it('is stamped with this build and keeps its spec', () => {
    const stored = configsByName([
      generated('worker'),
      generated('infra'),
      generated('new', maker.build),
      { metadata: { name: '99-mine-generated-registries' }, spec },
      {
        ...generated('old'),
        metadata: { ...generated('old').metadata, name: '99-old-u-registries' },
      },
    ])
    expect(leftoversOf({ stored })).toEqual([generated('infra', maker.build)])
    expect(leftoversOf({ stored, image: undefined })).toEqual([
      generated('worker', maker.build),
      generated('infra', maker.build),
    ])
  })

  it('belongs to the controller of another version while that is the operator', () => {
    const more = { image: undefined, controllerConfig: controllerConfig('1.2.2') }
    expect(leftoversOf(more)).toEqual([])
    expect(leftoversOf({ ...more, controllerConfig: undefined })).toEqual([])
  })
})
