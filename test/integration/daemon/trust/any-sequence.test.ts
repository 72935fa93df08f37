import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { bundle } from './certificates.ts'
import type { Given } from './trial.ts'
import { Trial, TrialConfig } from './trial.ts'

/* Random sequences of ControllerConfigs, with crashes and disk errors: the disk ends in the last desired state. */

const byHand = {
  '/etc/docker/certs.d/by-hand/ca.crt': 'by hand',
  '/etc/docker/certs.d/a/client.key': 'by hand, too',
  '/etc/kubernetes/other.crt': 'something else',
}

const bundles: string[] = []
beforeAll(async () => {
  bundles.push(await bundle('a'), await bundle('b'), await bundle('a', 'b'))
})

const which = fc.option(fc.constantFrom(0, 1, 2), { nil: undefined })
const given = fc.record({
  kubelet: which,
  cloud: which,
  registries: fc.dictionary(fc.constantFrom('a', 'b..5000', 'c', '../d'), fc.constantFrom(0, 1, 2)),
  secret: which,
  delivery: fc.constantFrom('direct', 'direct', 'rendered'),
  hasDigests: fc.boolean(),
  /** The daemon is killed here, or a disk operation fails, and another daemon starts. */
  accident: fc.option(fc.record({ at: fc.integer({ min: 1, max: 60 }), dies: fc.boolean() }), {
    nil: undefined,
  }),
})
type Step = typeof given extends fc.Arbitrary<infer T> ? T : never

describe('any sequence of desired states', () => {
  it('ends in the last one, and leaves other files alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 6 }), async (steps) => {
        const machine = new MemoryHost()
        for (const [path, content] of Object.entries(byHand)) await plant(machine, path, content)
        const config = new TrialConfig()
        for (const step of steps) {
          config.give(givenIn(step), { delivery: step.delivery, hasDigests: step.hasDigests })
          await deliver(machine, config, step)
        }
        const last: Step = { ...steps.at(-1)!, delivery: 'direct' }
        config.give(givenIn(last))
        await deliver(machine, config, { ...last, accident: undefined })
        expect(await expected(machine.files, last)).toEqual(await found(machine.files))
        for (const [path, content] of Object.entries(byHand)) {
          expect(await textAt(machine.files, path)).toBe(content)
        }
      }),
      { numRuns: 30 },
    )
  })
})

function givenIn({ kubelet, cloud, registries, secret }: Step): Given {
  const of = (number: number | undefined): string => (number === undefined ? '' : bundles[number]!)
  return {
    kubelet: of(kubelet),
    cloud: of(cloud),
    registries: Object.fromEntries(Object.entries(registries).map(([key, n]) => [key, of(n)])),
    ...(secret !== undefined && { pullSecret: `{"auths":{"host":{"auth":"${secret}"}}}` }),
  }
}

async function deliver(
  machine: MemoryHost,
  config: TrialConfig,
  { accident }: Step,
): Promise<void> {
  if (accident) {
    const { at, dies } = accident
    const faults = new Faults(dies ? { at, die: 'before', by: 'freeze' } : { at, fail: 'EIO' })
    const { files } = faultyHost(machine, faults, ['files'])
    const work = Trial.open({ files, config }).then((trial) => trial.settle(1000))
    await Promise.race([work, faults.died])
  } else {
    const trial = await Trial.open({ files: machine.files, config })
    await trial.settle()
  }
}

interface Found {
  readonly kubelet: string | undefined
  readonly cloud: string | undefined
  readonly secret: string | undefined
  readonly registries: Readonly<Record<string, string | undefined>>
}

async function found(files: HostFiles): Promise<Found> {
  const hosts = ['a', 'b:5000', 'c']
  const registries = await Promise.all(
    hosts.map(
      async (host) => [host, await textAt(files, `/etc/docker/certs.d/${host}/ca.crt`)] as const,
    ),
  )
  return {
    kubelet: await textAt(files, nodePaths.kubeletCA),
    cloud: await textAt(files, nodePaths.cloudCA),
    secret: await textAt(files, nodePaths.registryPullSecret),
    registries: Object.fromEntries(registries),
  }
}

async function expected(files: HostFiles, step: Step): Promise<Found> {
  const { kubelet, cloud, registries = {}, pullSecret } = givenIn(step)
  return {
    // Never removed: the last content stays.
    kubelet: kubelet || (await textAt(files, nodePaths.kubeletCA)),
    cloud: cloud || undefined,
    secret: pullSecret,
    registries: { a: registries['a'], 'b:5000': registries['b..5000'], c: registries['c'] },
  }
}

async function plant(machine: MemoryHost, path: string, content: string): Promise<void> {
  machine.files.seed(path, { content: Buffer.from(content), mode: 0o644, uid: 0, gid: 0 })
}

async function textAt(files: HostFiles, path: string): Promise<string | undefined> {
  if ((await files.stat(path)) === undefined) return undefined
  return Buffer.from(await files.read(path)).toString()
}
