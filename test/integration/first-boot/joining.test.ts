import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownControllerConfigAnnotations } from '../../../src/api/annotations.ts'
import { names } from '../../../src/api/names.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../src/api/kinds/resources.ts'
import { specDigests } from '../../../src/api/trust/digests.ts'
import { authorities, trustPayloads } from '../../../src/server/answer/state.fixture.ts'
import { emptyControllerConfigSpec } from '../../../src/api/kinds/new-controller-config.ts'
import { config } from '../daemon/follow/facts.ts'
import type { Machine } from '../daemon/cluster/machine.ts'
import { scene } from '../daemon/cluster/scene.ts'
import type { Join } from './arbitrary-join.ts'
import { arbitraryJoin } from './arbitrary-join.ts'
import { kubeconfig, provision, rebootsOf, served } from './new-machine.ts'

const cluster = scene()

/** The ControllerConfig with the CAs that the server adds, so that the trust lane manages them. */
beforeAll(async () => {
  const payloads = structuredClone(trustPayloads) as Partial<ControllerConfig['spec']>
  const spec = { ...emptyControllerConfigSpec, ...payloads }
  const digests = JSON.stringify(specDigests(spec))
  const annotations = { [ownControllerConfigAnnotations.trustDigests]: digests }
  const metadata = { name: names.controllerConfig, annotations }
  await cluster.api.client.create(controllerConfigs, { metadata, spec })
})

/** Boots a machine with what the server serves, and runs its daemon until the node is Done. */
async function joined(name: string, join: Join): Promise<Machine> {
  const machine = cluster.machine(name)
  await machine.make(join.rendered)
  await provision(machine.host, served(join)!)
  await machine.node({})
  const reboots = rebootsOf(machine.host)
  machine.start()
  await machine.untilDone(join.rendered.metadata.name)
  await machine.until('it has joined', async () => {
    return (await machine.host.files.stat(nodePaths.nodeAnnotations)) === undefined
  })
  expect(rebootsOf(machine.host)).toBe(reboots)
  expect(await machine.annotation('desiredDrain')).toBeUndefined()
  const failures = (await machine.events()).filter((event) => event.includes('Failed'))
  expect(failures).toEqual([])
  return machine
}

describe('a machine with a served config', { timeout: 120_000 }, () => {
  it('joins, is Done, and is not changed by its daemon', async () => {
    const joins = fc
      .sample(arbitraryJoin, { numRuns: 40, seed: 3 })
      .filter((join) => served(join) !== undefined)
      .slice(0, 15)
    expect(joins).toHaveLength(15)
    for (const [at, join] of joins.entries()) {
      const machine = await joined(`joining-${at}`, join)
      expect(await machine.annotation('currentImage')).toBe(join.image)
      expect(await machine.annotation('firstPivotConfig')).toBe(join.rendered.metadata.name)
      await machine.stop()
    }
  })

  it('keeps the files of the server, which are not drift', async () => {
    const theirs = { [nodePaths.kubeletCA]: 'theirs', [nodePaths.bootstrapKubeconfig]: 'theirs' }
    const rendered = config('rendered-worker-own-files', theirs)
    const machine = await joined('own-files', { rendered, image: undefined, version: '3.4' })
    expect(await machine.read(nodePaths.kubeletCA)).toBe(authorities.kubelet)
    expect(await machine.read(nodePaths.bootstrapKubeconfig)).toBe(kubeconfig)
    for (const path of [nodePaths.bootstrapKubeconfig, nodePaths.served]) {
      expect(await machine.host.files.stat(path)).toMatchObject({ type: 'file', mode: 0o600 })
    }
  })
})
