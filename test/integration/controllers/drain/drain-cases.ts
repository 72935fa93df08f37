import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { DaemonSet } from '@machinist/kube/kinds/apps'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { nodes, pods as podsResource } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { owner } from '../../../../src/controllers/drain/objects.fixture.ts'
import { CrashingTransport } from './crashing-transport.ts'
import { RecordingTransport } from './recording-transport.ts'
import type { TestCluster } from './drain-cluster.ts'
import { DrainCluster } from './drain-cluster.ts'

const minute = 60_000

/** Runs on every API server. */
export function drainCases(cluster: () => TestCluster): void {
  let drain: DrainCluster
  beforeEach(async () => {
    drain = await DrainCluster.on(cluster())
  })
  afterEach(() => drain.end())

  it('cordons, evicts pods, acknowledges, and later uncordons', async () => {
    await drain.addNode('n')
    const logs = await drain.client.create(daemonSets, daemonSet(drain.namespace))
    const ofLogs = { owner: { ...owner('DaemonSet', 'logs'), uid: logs.metadata.uid! } }
    await drain.addPod('n', 'local-data', { emptyDir: true })
    await drain.addPod('n', 'alone')
    await drain.addPod('n', 'logs', ofLogs)
    await drain.addPod('n', 'static', { annotations: { 'kubernetes.io/config.mirror': 'x' } })
    await drain.addPod('n', 'done', { ...ofLogs, phase: 'Succeeded' })
    const { metrics } = drain.start()
    await drain.annotate('n', 'desiredDrain', 'drain-rendered-1')
    await drain.untilApplied('n', 'drain-rendered-1')
    expect((await drain.podsOn('n')).sort()).toEqual(['logs', 'static'])
    expect((await drain.node('n')).spec?.unschedulable).toBe(true)
    expect(await drain.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
    expect(metrics.text()).toContain(
      `mcc_sub_controller_state{subcontroller="machine-config-controller-drain",state="drain",object="${drain.named('n')}"}`,
    )
    await drain.annotate('n', 'desiredDrain', 'uncordon-rendered-1')
    await drain.untilApplied('n', 'uncordon-rendered-1')
    const node = await drain.node('n')
    expect(node.spec?.unschedulable ?? false).toBe(false)
    expect(node.metadata.annotations).not.toHaveProperty(['machinist.dev/drain'])
    expect(await drain.conditions('n')).toContain('Uncordoned=True')
  })

  it('names the pods and budgets that block a drain, and continues when they are released', async () => {
    await drain.addNode('n')
    await drain.addPod('n', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    drain.start()
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    await drain.until('the budget is named', async () => {
      return (await drain.drained('n')).includes(`PodDisruptionBudget ${drain.namespace}/web`)
    })
    const first = await drain.drained('n')
    expect(first).toMatch(/^Draining for x is held up by 1 pod: /)
    expect(first).toMatch(
      /web-1: PodDisruptionBudget .*\/web allows 0 disruptions.* \(since .*Z\)$/,
    )
    await drain.until('an event is emitted', async () => {
      return (await drain.eventsOf('n')).includes('DrainBlocked')
    })
    const { resourceVersion } = (await drain.progress('n'))!.metadata
    await drain.clock.advance(minute)
    expect((await drain.progress('n'))!.metadata.resourceVersion).toBe(resourceVersion)
    expect(await drain.lastApplied('n')).toBeUndefined()
    expect(await drain.podsOn('n')).toEqual(['web-1'])
    await drain.release('web')
    await drain.untilApplied('n', 'drain-x')
    expect(await drain.podsOn('n')).toEqual([])
  })

  it('does not acknowledge a drain of a node that a user uncordoned, and drains again', async () => {
    await drain.addNode('n')
    await drain.addPod('n', 'slow')
    drain.deadKubelets.add(drain.named('n'))
    drain.start()
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    await drain.until('the pod is terminating', async () => {
      return (await drain.conditions('n')).includes('Drained=Unknown')
    })
    const record = (await drain.node('n')).metadata.annotations?.['machinist.dev/drain']
    await drain.setUnschedulable('n', false)
    await drain.until('it is cordoned again', async () => {
      return (await drain.node('n')).spec?.unschedulable === true
    })
    expect(await drain.lastApplied('n')).toBeUndefined()
    expect((await drain.node('n')).metadata.annotations?.['machinist.dev/drain']).toBe(record)
    drain.deadKubelets.clear()
    await drain.untilApplied('n', 'drain-x')
  })

  it('a node that cannot be drained blocks neither other drains nor uncordons', async () => {
    await drain.addNode('stuck')
    await drain.addPod('stuck', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    const others = ['n1', 'n2', 'n3', 'n4']
    for (const name of others) {
      await drain.addNode(name, { desired: 'drain-x' })
      await drain.addPod(name, `pod-of-${name}`)
    }
    await drain.addNode('back', {
      desired: 'uncordon-x',
      lastApplied: 'drain-x',
      unschedulable: true,
    })
    await drain.annotate('stuck', 'desiredDrain', 'drain-x')
    drain.start()
    await drain.untilApplied('back', 'uncordon-x')
    for (const name of others) await drain.untilApplied(name, 'drain-x')
    expect(await drain.lastApplied('stuck')).toBeUndefined()
  })

  it('evicts every 5 s for 90 s, pauses for a minute, and evicts again', async () => {
    await drain.addNode('n')
    await drain.addPod('n', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    const recording = new RecordingTransport(cluster().transport, drain.clock)
    drain.start(new KubeClient({ transport: recording, clock: systemClock }))
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    const began = async (): Promise<number> => {
      const record = (await drain.node('n')).metadata.annotations?.['machinist.dev/drain']
      return Date.parse((JSON.parse(record ?? '{}') as { since?: string }).since ?? '')
    }
    // The clock stops while responses are pending, as with a fast API server.
    const passed = async (): Promise<boolean> =>
      recording.isIdle && drain.clock.now() > (await began()) + 160_000
    await until('160 s have passed', async () => {
      if (recording.isIdle) await drain.clock.advance(500)
      return passed()
    })
    const since = await began()
    const ages = recording.evictions.map((at) => (at - since) / 1000)
    const first = ages.filter((age) => age < 120)
    expect(first.length).toBeGreaterThanOrEqual(14)
    expect(first.length).toBeLessThanOrEqual(18)
    expect(Math.max(...first)).toBeLessThan(92)
    const gaps = first.slice(1).map((age, i) => age - first[i]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5)
    const again = ages.find((age) => age >= 120)
    expect(again).toBeGreaterThanOrEqual(150)
    expect(again).toBeLessThan(153)
  })

  it('raises the alert after an hour, also after a restart, and continues', async () => {
    await drain.addNode('n')
    await drain.addPod('n', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    const series = `mcc_drain_err{node="${drain.named('n')}"} 1`
    const first = drain.start()
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    await drain.until('it is blocked', async () => (await drain.drained('n')).includes('held up'))
    const reported = await drain.drained('n')
    await drain.kill(first)
    expect(first.metrics.text()).not.toContain(series)
    await drain.clock.advance(61 * minute)
    const second = drain.start()
    await drain.until(
      'the alert is raised',
      async () => second.metrics.text().includes(series),
      minute,
    )
    await drain.until(
      'an event is emitted',
      async () => {
        return (await drain.eventsOf('n')).includes('DrainFailed')
      },
      minute,
    )
    expect(await drain.drained('n')).toBe(reported)
    await drain.release('web')
    await drain.untilApplied('n', 'drain-x')
    await drain.until(
      'the alert is over',
      async () => !second.metrics.text().includes(series),
      minute,
    )
  })

  it('deletes pods by force, keeps pods and changes the grace period by DrainPolicy', async () => {
    const pool = drain.named('pool')
    await drain.policy(pool, {
      forceAfterSeconds: 120,
      gracePeriodSeconds: 7,
      skipPodSelector: { matchLabels: { stays: 'yes' } },
    })
    await drain.addNode('n', { pool })
    drain.deadKubelets.add(drain.named('n'))
    await drain.addPod('n', 'kept', { labels: { stays: 'yes' } })
    await drain.addPod('n', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    drain.start()
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    await drain.until('it is blocked', async () => (await drain.drained('n')).includes('held up'))
    expect(await drain.podsOn('n')).toEqual(['kept', 'web-1'])
    await drain.clock.advance(2 * minute)
    const graceOf = async (name: string): Promise<number | undefined> => {
      const { items } = await drain.client.list(podsResource, { namespace: drain.namespace })
      return items.find(({ metadata }) => metadata.name === name)?.metadata
        .deletionGracePeriodSeconds
    }
    await drain.until('the pod is deleted by force', async () => (await graceOf('web-1')) === 7)
    drain.deadKubelets.clear()
    await drain.untilApplied('n', 'drain-x')
    expect(await drain.podsOn('n')).toEqual(['kept'])
  })

  it.each([
    { keepCordoned: false, cordoned: false },
    { keepCordoned: true, cordoned: true },
  ])(
    'a node that was cordoned before: keepCordoned $keepCordoned',
    async ({ keepCordoned, cordoned }) => {
      const pool = drain.named('pool')
      await drain.policy(pool, { keepCordoned })
      await drain.addNode('n', { pool, unschedulable: true, desired: 'drain-x' })
      drain.start()
      await drain.untilApplied('n', 'drain-x')
      await drain.annotate('n', 'desiredDrain', 'uncordon-x')
      await drain.untilApplied('n', 'uncordon-x')
      expect((await drain.node('n')).spec?.unschedulable ?? false).toBe(cordoned)
      expect(await drain.conditions('n')).toContain(`Uncordoned=${cordoned ? 'False' : 'True'}`)
    },
  )

  it('waits for a turn of the pool if the desired config did not change, and reports it', async () => {
    const pool = drain.named('pool')
    await drain.addPool(pool)
    const annotations = {
      'machineconfiguration.openshift.io/currentConfig': 'x',
      'machineconfiguration.openshift.io/desiredConfig': 'x',
    }
    const before = await drain.addNode('n', { pool, desired: 'drain-x', annotations })
    drain.start()
    await drain.until('the reason is on the MachineConfigNode', async () => {
      return (await drain.drained('n')).includes(`MachineConfigPool ${pool} has not given`)
    })
    await drain.until('an event names it', async () => {
      return (await drain.eventsOf('n')).includes('WaitingForTurn')
    })
    await drain.clock.advance(5 * minute)
    const waiting = await drain.node('n')
    expect(waiting.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    await drain.giveTurn(pool, 'n')
    await drain.untilApplied('n', 'drain-x')
  })

  it('drains a node at once if its desired config changed', async () => {
    const pool = drain.named('pool')
    await drain.addPool(pool)
    const annotations = {
      'machineconfiguration.openshift.io/currentConfig': 'w',
      'machineconfiguration.openshift.io/desiredConfig': 'x',
    }
    await drain.addNode('n', { pool, desired: 'drain-x', annotations })
    drain.start()
    await drain.untilApplied('n', 'drain-x')
    expect(await drain.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
  })

  it('reports an invalid request, and writes nothing', async () => {
    const before = await drain.addNode('n', { desired: 'foo-x' })
    drain.start()
    await drain.until('an event is emitted', async () => {
      return (await drain.eventsOf('n')).includes('DrainFailed')
    })
    expect((await drain.node('n')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })

  it('removes the metrics of a deleted node', async () => {
    await drain.addNode('n', { desired: 'drain-x' })
    const { metrics } = drain.start()
    await drain.untilApplied('n', 'drain-x')
    expect(metrics.text()).toContain(`object="${drain.named('n')}"`)
    await drain.client.remove(nodes, { name: drain.named('n') })
    await drain.until('its metrics are removed', async () => {
      return !metrics.text().includes(`object="${drain.named('n')}"`)
    })
  })

  const deaths = Array.from({ length: 10 }, (_, writes) => ({ writes }))
  it.each(deaths)('a crash at write $writes loses nothing', async ({ writes }) => {
    const { transport } = cluster()
    await drain.addNode('n')
    await drain.addPod('n', 'free-1')
    await drain.addPod('n', 'free-2')
    await drain.addPod('n', 'web-1', { labels: { app: 'web' } })
    await drain.budget('web', 1, 0)
    const crashing = new CrashingTransport(transport, writes)
    const first = drain.start(new KubeClient({ transport: crashing, clock: systemClock }))
    await drain.annotate('n', 'desiredDrain', 'drain-x')
    let released = false
    const isOver = async (): Promise<boolean> => {
      const isDone = (await drain.lastApplied('n')) === 'drain-x'
      if (isDone) await expectDrained()
      const isBlocked = (await drain.drained('n')).includes('held up')
      if (!released && isBlocked) {
        released = true
        await drain.release('web')
      }
      return isDone || crashing.hasCrashed
    }
    const expectDrained = async (): Promise<void> => {
      expect(await drain.podsOn('n')).toEqual([])
      expect((await drain.node('n')).spec?.unschedulable).toBe(true)
    }
    await drain.until('it has crashed or finished', isOver)
    const since = (await drain.node('n')).metadata.annotations?.['machinist.dev/drain']
    await drain.kill(first)
    // Even if it was released before: an interrupted eviction may have used it up.
    await drain.release('web')
    drain.start()
    await drain.untilApplied('n', 'drain-x')
    await expectDrained()
    const after = (await drain.node('n')).metadata.annotations?.['machinist.dev/drain']
    expect(after).toBe(since)
    expect(await drain.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
  })
}

function daemonSet(namespace: string): DaemonSet {
  const labels = { app: 'logs' }
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'example.com/logs' }] },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'logs', namespace },
    spec: { selector: { matchLabels: labels }, template },
  }
}
