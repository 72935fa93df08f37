import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterVersions } from '../../../../src/api/openshift-config.ts'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { runSigner } from '../../../../src/signer/run-signer.ts'
import { until } from '@machinist/testing/until'
import { bind, group } from './documented-rights.ts'
import { reachEmbedded } from './embedded.ts'
import type { ReachedAs } from './world.ts'
import { alive, World } from './world.ts'

const clock = systemClock
let reached: ReachedAs
let world: World
beforeEach(async () => {
  reached = await reachEmbedded()
  world = new World(reached)
  await bind(world.client, 'system:node-bootstrapper', group('system:nodes'))
  await world.node('n1', alive(['Hostname', 'n1']))
  await world.serve('n1', 'DNS:n1')
})
afterEach(() => reached.stop())

/** Runs the whole signer until it works and `condition` holds of what it logged. */
async function run(
  condition: (logged: string) => boolean,
  approveRequests?: boolean,
  metrics = new Metrics(),
) {
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  let logged = ''
  const options = {
    client: world.client,
    clock,
    random: seededRandom(3),
    log: createLogger({ clock, write: (line) => void (logged += line) }),
    metrics,
    stopGraceMs: 0,
    ready: ready.resolve,
    ...(approveRequests !== undefined && { approveRequests }),
  }
  const ended = runSigner(options, stop.signal)
  await ready.promise
  await until('it has logged it', () => condition(logged))
  stop.abort()
  await ended
}

const isApproving = (logged: string): boolean => logged.includes('approved a certificate request')
const isResting = (logged: string): boolean => logged.includes('are left to others')

describe('the signer', () => {
  it('approves requests of kubelets', async () => {
    await run(isApproving)
    expect(await world.decision('serve-n1')).toEqual(['Approved MachinistApproved'])
  })

  it('counts only those that are left while it works', async () => {
    await world.serve('n1', 'DNS:localhost', 'never')
    const metrics = new Metrics()
    const isTold = (logged: string): boolean => logged.includes('is left to a person')
    for (let term = 0; term < 2; term++) {
      await run(isTold, true, metrics)
      expect(metrics.text()).not.toMatch(/^machinist_certificate_requests_(left|flooded)\b/m)
    }
  })

  it('leaves them to OpenShift, unless it is told to', async () => {
    await installClusterVersions()
    await run(isResting)
    expect(await world.decision('serve-n1')).toEqual([])
    await run(isApproving, true)
    expect(await world.decision('serve-n1')).toEqual(['Approved MachinistApproved'])
  })

  it('leaves them alone if it is told to', async () => {
    await run(isResting, false)
    expect(await world.decision('serve-n1')).toEqual([])
  })
})

async function installClusterVersions(): Promise<void> {
  const names = {
    kind: 'ClusterVersion',
    plural: 'clusterversions',
    singular: 'clusterversion',
    listKind: 'ClusterVersionList',
  }
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }
  await world.client.create(customResourceDefinitions, {
    metadata: { name: 'clusterversions.config.openshift.io' },
    spec: { group: 'config.openshift.io', scope: 'Cluster', names, versions: [version] },
  } as unknown as CustomResourceDefinition)
  await until('ClusterVersions are served', () =>
    world.client.create(clusterVersions, { metadata: { name: 'version' } }).then(
      () => true,
      () => false,
    ),
  )
}
