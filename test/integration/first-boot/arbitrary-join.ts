import * as fc from 'fast-check'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import { supportedVersions } from '@machinist/ignition/convert/versions'
import type { Config } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import {
  applicableConfig,
  kernelArguments,
} from '../../../src/devcluster/ignition/applicable-config.fixture.ts'
import { readInput } from '../../../src/fleet/render/read-input.ts'
import type { RenderedConfig } from '../../../src/fleet/render/renderer.ts'
import { renderInputs } from '../../../src/fleet/render/renderer.ts'

/** The image, kernel arguments and FIPS mode of machines before their first boot. */
export const installed = {
  booted: { image: 'os.example/os:1', kernelArguments: ['rw', 'quiet', 'console=ttyS0'] },
}

/** A machine that joins: the rendered config of its pool, the image that is built for it, the version of its Ignition. */
export interface Join {
  readonly rendered: MachineConfig
  readonly image: string | undefined
  readonly version: IgnitionVersion
}

const images = ['', 'os.example/os:1', 'docker://os.example/os:1', 'os.example/os:2']

/** Half of them change nothing. */
const osPart = fc.record({
  osImageURL: fc.constantFrom(...images),
  kernelArguments: fc.subarray(['nosmt', 'quiet', 'a=1 b="c d"', 'rw']),
  kernelType: fc.constantFrom('', 'default', 'realtime'),
  extensions: fc.subarray(['usbguard', 'ipsec']),
})

/** Every version can express most of them. */
const ignition: fc.Arbitrary<Config> = fc
  .tuple(applicableConfig({ onlyManaged: true }), fc.option(kernelArguments, { nil: undefined }))
  .map(([config, words]) => withArguments(config, words))

const spec = fc.option(osPart, { nil: {}, freq: 1 })
const machineConfig = fc.tuple(ignition, spec).map(([config, rest]) => withOs(config, rest))

const withArguments = (config: Config, words: Config['kernelArguments']): Config =>
  words ? { ...config, kernelArguments: words } : config

const withOs = (config: Config, rest: object) => ({ config, ...rest })

export const arbitraryJoin: fc.Arbitrary<Join> = fc
  .record({
    specs: fc.array(machineConfig, { minLength: 1, maxLength: 3 }),
    releaseImage: fc.constantFrom(...images),
    image: fc.constantFrom(undefined, undefined, 'registry.example/layered@sha256:11'),
    version: fc.constantFrom<IgnitionVersion>(...supportedVersions),
  })
  .map(({ specs, releaseImage, image, version }) => {
    const defaults = { osImageURL: releaseImage, baseOSExtensionsContainerImage: '' }
    const configs = specs.map((each, at) => ({ metadata: { name: `${at}0-worker` }, spec: each }))
    const rendered = renderInputs(
      'worker',
      configs.map((each) => readInput(each)),
      defaults,
    )
    return { rendered, image, version }
  })
  // A pool with such a config is degraded, and has no rendered config.
  .filter(({ rendered }) => rendered.problems.length === 0)
  .map(({ rendered, image, version }) => ({ rendered: objectOf(rendered), image, version }))

const objectOf = ({ name, spec: { config, ...rest } }: RenderedConfig): MachineConfig => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name },
  spec: { ...rest, config },
})
