import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { until } from '@machinist/testing/until'
import { clusterVersions } from '../../../../src/api/openshift-config.ts'
import { runSigner } from '../../../../src/signer/run-signer.ts'
import { bind, group } from './documented-permissions.ts'
import { reachEmbedded } from './embedded.ts'
import type { ReachedAs } from './requests-cluster.ts'
import { alive, RequestsCluster } from './requests-cluster.ts'

const clock = systemClock
let reached: ReachedAs
let cluster: RequestsCluster
beforeEach(async () => {
  reached = await reachEmbedded()
  cluster = new RequestsCluster(reached)
  await bind(cluster.client, 'system:node-bootstrapper', group('system:nodes'))
  await cluster.node('n1', alive(['Hostname', 'n1']))
  await cluster.serve('n1', 'DNS:n1')
})
afterEach(() => reached.stop())

/** Runs the signer until it is ready and `condition` holds for its log. */
async function run(
  condition: (logged: string) => boolean,
  approveRequests?: boolean,
  metrics = new Metrics(),
) {
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  let logged = ''
  const options = {
    client: cluster.client,
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
  await until('the condition holds for the log', () => condition(logged))
  stop.abort()
  await ended
}

const isApproving = (logged: string): boolean => logged.includes('approved a certificate request')
const isDisabled = (logged: string): boolean =>
  logged.includes('not approving certificate requests')

describe('the signer', () => {
  it('approves requests of kubelets', async () => {
    await run(isApproving)
    expect(await cluster.decision('serve-n1')).toEqual(['Approved MachinistApproved'])
  })

  it('removes its metrics of left requests when it stops', async () => {
    await cluster.serve('n1', 'DNS:localhost', 'never')
    const metrics = new Metrics()
    const isReported = (logged: string): boolean =>
      logged.includes('leaving a certificate request to an administrator')
    for (let term = 0; term < 2; term++) {
      await run(isReported, true, metrics)
      expect(metrics.text()).not.toMatch(/^machinist_certificate_requests_(left|flooded)\b/m)
    }
  })

  it('leaves requests to OpenShift unless it is configured to approve them', async () => {
    await installClusterVersions()
    await run(isDisabled)
    expect(await cluster.decision('serve-n1')).toEqual([])
    await run(isApproving, true)
    expect(await cluster.decision('serve-n1')).toEqual(['Approved MachinistApproved'])
  })

  it('ignores requests if it is configured so', async () => {
    await run(isDisabled, false)
    expect(await cluster.decision('serve-n1')).toEqual([])
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
  await cluster.client.create(customResourceDefinitions, {
    metadata: { name: 'clusterversions.config.openshift.io' },
    spec: { group: 'config.openshift.io', scope: 'Cluster', names, versions: [version] },
  } as unknown as CustomResourceDefinition)
  await until('ClusterVersions are served', () =>
    cluster.client.create(clusterVersions, { metadata: { name: 'version' } }).then(
      () => true,
      () => false,
    ),
  )
}
