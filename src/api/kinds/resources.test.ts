import { execFileSync } from 'node:child_process'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Condition, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { kinds } from '../definitions/kinds.ts'
import * as openshift from '../openshift-config.ts'
import type { DisruptionActionType } from './node-disruption-policy.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
  MachineOSConfig,
} from './resources.ts'
import * as resources from './resources.ts'

describe('the resources of Machinist', () => {
  it('are the kinds with a definition', () => {
    const defined = kinds.map(({ resource }) => resource)
    expect(new Set(Object.values(resources))).toEqual(new Set(defined))
  })

  it('are in the API groups of OpenShift', () => {
    expect(apiVersionOf(resources.machineConfigPools)).toBe('machineconfiguration.openshift.io/v1')
    expect(apiVersionOf(resources.machineConfigurations)).toBe('operator.openshift.io/v1')
  })

  it('load no schema when imported', () => {
    const loaded = modulesLoadedBy('./resources.ts')
    expect(loaded).toContain('packages/core/src/objects/resource.ts')
    expect(loaded.filter(isSchema)).toEqual([])
  })

  it('and the constants and OpenShift resources do not either', () => {
    const modules = ['annotations', 'labels', 'conditions', 'reasons', 'names', 'openshift-config']
    const loaded = modules.flatMap((name) => modulesLoadedBy(`../${name}.ts`))
    expect(loaded.filter((path) => /api\/(kinds|schema)/.test(path))).toEqual([])
  })
})

describe('the types of the objects', () => {
  it('match the schemas', () => {
    expectTypeOf<MachineConfigPool['spec']['maxUnavailable']>().toEqualTypeOf<
      number | string | undefined
    >()
    expectTypeOf<NonNullable<MachineConfigPool['status']>['conditions']>().toEqualTypeOf<
      Condition[] | undefined
    >()
    expectTypeOf<NonNullable<MachineConfig['spec']>['kernelArguments']>().toEqualTypeOf<
      string[] | null | undefined
    >()
    expectTypeOf<
      ControllerConfig['spec']['infra']
    >().toEqualTypeOf<openshift.Infrastructure | null>()
    expectTypeOf<ControllerConfig['spec']['additionalTrustBundle']>().toEqualTypeOf<string | null>()
    expectTypeOf<MachineOSConfig['spec']['renderedImagePushSpec']>().toEqualTypeOf<string>()
    expectTypeOf<DisruptionActionType>().toEqualTypeOf<
      'Reboot' | 'Drain' | 'Reload' | 'Restart' | 'DaemonReload' | 'None' | 'Special'
    >()
    expect(resources.machineConfigs.objects).toBeUndefined()
  })
})

describe('the resources of OpenShift', () => {
  it('have the plural names of the API', () => {
    const places = Object.values(openshift).map(
      (place: Resource) => `${place.plural}.${apiVersionOf(place)}`,
    )
    expect(places.sort()).toEqual([
      'apiservers.config.openshift.io/v1',
      'clusterimagepolicies.config.openshift.io/v1',
      'clusteroperators.config.openshift.io/v1',
      'clusterversions.config.openshift.io/v1',
      'criocredentialproviderconfigs.config.openshift.io/v1',
      'dnses.config.openshift.io/v1',
      'featuregates.config.openshift.io/v1',
      'imagecontentpolicies.config.openshift.io/v1',
      'imagecontentsourcepolicies.operator.openshift.io/v1alpha1',
      'imagedigestmirrorsets.config.openshift.io/v1',
      'imagepolicies.config.openshift.io/v1',
      'images.config.openshift.io/v1',
      'imagetagmirrorsets.config.openshift.io/v1',
      'infrastructures.config.openshift.io/v1',
      'networks.config.openshift.io/v1',
      'nodes.config.openshift.io/v1',
      'proxies.config.openshift.io/v1',
      'schedulers.config.openshift.io/v1',
    ])
  })
})

/** A module that builds schemas: all modules of kinds except resources.ts itself, and those of schema. */
const isSchema = (path: string): boolean =>
  /api\/(kinds|schema)/.test(path) && !path.endsWith('api/kinds/resources.ts')

/** The files of the project that a new process loads for one import, relative to the root. */
function modulesLoadedBy(module: string): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context) } })
    await import(${JSON.stringify(new URL(module, import.meta.url).href)})`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  return output.split('\n').flatMap((url) => /(?:packages\/[^/]+\/)?src\/.*$/.exec(url)?.[0] ?? [])
}
