import { beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { clientFrom, freshNamespace, kubectl } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import type { KubeClient } from '../src/client/client.ts'
import { Recorder } from '../src/events/recorder.ts'
import { configMaps, nodes } from '../src/kinds/core.ts'
import { coreEvents, eventsV1 } from '../src/kinds/events.ts'

describeOnRealCluster('events on a real API server', (cluster) => {
  let client: KubeClient
  let recorder: Recorder
  const metrics = new Metrics()

  beforeAll(async () => {
    client = await clientFrom(cluster.kubeconfig)
    recorder = new Recorder({
      api: client,
      component: 'machinist-daemon',
      instance: 'worker-1',
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      metrics,
    })
  })

  it('appear in kubectl describe', async () => {
    const node = await client.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'described' },
    })
    for (let i = 0; i < 3; i++) {
      recorder.warning(node, 'CertificateExpiring', 'kubelet CA ends in 2 days')
      await recorder.flush()
    }
    recorder.normal(node, 'ConfigApplied', 'rendered-worker-1 is in place')
    await recorder.flush()

    const described = await kubectl(cluster, 'describe', 'node', 'described')
    expect(described).toMatch(
      /Warning +CertificateExpiring +\S+ \(x3 over \S+\) +machinist-daemon +kubelet CA ends in 2 days/,
    )
    expect(described).toMatch(
      /Normal +ConfigApplied +\S+ +machinist-daemon +rendered-worker-1 is in place/,
    )
    const listed = await kubectl(
      cluster,
      'get',
      'events',
      '--field-selector=involvedObject.name=described',
    )
    expect(listed).toMatch(
      /Warning +CertificateExpiring +node\/described +kubelet CA ends in 2 days/,
    )
  })

  it('are one object for repeated occurrences, in both APIs', async () => {
    const namespace = await freshNamespace(client)
    const object = await client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'noisy', namespace },
    })
    for (let i = 0; i < 5; i++) recorder.normal(object, 'Rendered', 'again')
    await recorder.flush()
    const { items } = await client.list(coreEvents, { namespace })
    expect(items).toMatchObject([
      {
        count: 5,
        reason: 'Rendered',
        involvedObject: { kind: 'ConfigMap', name: 'noisy', namespace, uid: object.metadata.uid },
        source: { component: 'machinist-daemon', host: 'worker-1' },
      },
    ])
    const [event] = (await client.list(eventsV1, { namespace })).items
    expect(event).toMatchObject({
      deprecatedCount: 5,
      note: 'again',
      reportingController: 'machinist-daemon',
      reportingInstance: 'worker-1',
    })
  })

  it('respect the limits of the server', async () => {
    const namespace = await freshNamespace(client)
    const name = `${'n'.repeat(120)}.${'m'.repeat(120)}`
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }
    recorder.warning(object, 'Long', 'ü'.repeat(2000))
    recorder.warning(
      { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', name: 'system:Odd_Name' },
      'Odd',
      'name',
    )
    await recorder.flush()
    expect((await client.list(coreEvents, { namespace })).items).toHaveLength(1)
    const odd = await client.list(coreEvents, {
      namespace: 'default',
      fields: 'involvedObject.name=system:Odd_Name',
    })
    expect(odd.items).toHaveLength(1)
    expect(metrics.text()).not.toContain('machinist_events_dropped_total{')
  })
})
