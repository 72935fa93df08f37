import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client'
import type { DaemonSet } from '@machinist/kube/kinds/apps'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { nodes, pods as podsResource } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { MortalTransport } from './mortal-transport.ts'
import { NotingTransport } from './noting-transport.ts'
import { owner } from '../../../../src/controllers/drain/objects.fixture.ts'
import type { Cluster } from './stage.ts'
import { Stage } from './stage.ts'

const minute = 60_000

/** What has to hold on every API server. */
export function drainCases(cluster: () => Cluster): void {
  let stage: Stage
  beforeEach(async () => {
    stage = await Stage.on(cluster())
  })
  afterEach(() => stage.end())

  it('cordons, evicts whom it should, acknowledges, and later uncordons', async () => {
    await stage.addNode('n')
    const logs = await stage.client.create(daemonSets, daemonSet(stage.namespace))
    const ofLogs = { owner: { ...owner('DaemonSet', 'logs'), uid: logs.metadata.uid! } }
    await stage.addPod('n', 'local-data', { emptyDir: true })
    await stage.addPod('n', 'alone')
    await stage.addPod('n', 'logs', ofLogs)
    await stage.addPod('n', 'static', { annotations: { 'kubernetes.io/config.mirror': 'x' } })
    await stage.addPod('n', 'done', { ...ofLogs, phase: 'Succeeded' })
    const { metrics } = stage.start()
    await stage.annotate('n', 'desiredDrain', 'drain-rendered-1')
    await stage.untilApplied('n', 'drain-rendered-1')
    expect((await stage.podsOn('n')).sort()).toEqual(['logs', 'static'])
    expect((await stage.node('n')).spec?.unschedulable).toBe(true)
    expect(await stage.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
    expect(metrics.text()).toContain(
      `mcc_sub_controller_state{subcontroller="machine-config-controller-drain",state="drain",object="${stage.named('n')}"}`,
    )
    await stage.annotate('n', 'desiredDrain', 'uncordon-rendered-1')
    await stage.untilApplied('n', 'uncordon-rendered-1')
    const node = await stage.node('n')
    expect(node.spec?.unschedulable ?? false).toBe(false)
    expect(node.metadata.annotations).not.toHaveProperty(['machinist.dev/drain'])
    expect(await stage.conditions('n')).toContain('Uncordoned=True')
  })

  it('names the pods and budgets that are in the way, and goes on when they are no longer', async () => {
    await stage.addNode('n')
    await stage.addPod('n', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    stage.start()
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    await stage.until('the budget is named', async () => {
      return (await stage.drained('n')).includes(`PodDisruptionBudget ${stage.namespace}/web`)
    })
    const first = await stage.drained('n')
    expect(first).toMatch(/^Draining for x is held up by 1 pod: /)
    expect(first).toMatch(
      /web-1: PodDisruptionBudget .*\/web allows 0 disruptions.* \(since .*Z\)$/,
    )
    await stage.until('an event tells it', async () => {
      return (await stage.eventsOf('n')).includes('DrainBlocked')
    })
    const { resourceVersion } = (await stage.progress('n'))!.metadata
    await stage.clock.advance(minute)
    expect((await stage.progress('n'))!.metadata.resourceVersion).toBe(resourceVersion)
    expect(await stage.lastApplied('n')).toBeUndefined()
    expect(await stage.podsOn('n')).toEqual(['web-1'])
    await stage.release('web')
    await stage.untilApplied('n', 'drain-x')
    expect(await stage.podsOn('n')).toEqual([])
  })

  it('does not acknowledge what somebody has undone, and drains again', async () => {
    await stage.addNode('n')
    await stage.addPod('n', 'slow')
    stage.deadKubelets.add(stage.named('n'))
    stage.start()
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    await stage.until('the pod is on its way', async () => {
      return (await stage.conditions('n')).includes('Drained=Unknown')
    })
    const record = (await stage.node('n')).metadata.annotations?.['machinist.dev/drain']
    await stage.setUnschedulable('n', false)
    await stage.until('it is cordoned again', async () => {
      return (await stage.node('n')).spec?.unschedulable === true
    })
    expect(await stage.lastApplied('n')).toBeUndefined()
    expect((await stage.node('n')).metadata.annotations?.['machinist.dev/drain']).toBe(record)
    stage.deadKubelets.clear()
    await stage.untilApplied('n', 'drain-x')
  })

  it('one node that cannot be drained holds neither other drains nor uncordons', async () => {
    await stage.addNode('stuck')
    await stage.addPod('stuck', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    const others = ['n1', 'n2', 'n3', 'n4']
    for (const name of others) {
      await stage.addNode(name, { desired: 'drain-x' })
      await stage.addPod(name, `pod-of-${name}`)
    }
    await stage.addNode('back', {
      desired: 'uncordon-x',
      lastApplied: 'drain-x',
      unschedulable: true,
    })
    await stage.annotate('stuck', 'desiredDrain', 'drain-x')
    stage.start()
    await stage.untilApplied('back', 'uncordon-x')
    for (const name of others) await stage.untilApplied(name, 'drain-x')
    expect(await stage.lastApplied('stuck')).toBeUndefined()
  })

  it('asks every 5 s for 90 s, rests for a minute, and asks again', async () => {
    await stage.addNode('n')
    await stage.addPod('n', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    const noting = new NotingTransport(cluster().transport, stage.clock)
    stage.start(new KubeClient({ transport: noting, clock: systemClock }))
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    const began = async (): Promise<number> => {
      const record = (await stage.node('n')).metadata.annotations?.['machinist.dev/drain']
      return Date.parse((JSON.parse(record ?? '{}') as { since?: string }).since ?? '')
    }
    // Time stands still while answers are awaited, so that it passes as on a quick server.
    const passed = async (): Promise<boolean> =>
      noting.isQuiet && stage.clock.now() > (await began()) + 160_000
    await until('160 s have passed', async () => {
      if (noting.isQuiet) await stage.clock.advance(500)
      return passed()
    })
    const since = await began()
    const ages = noting.evictions.map((at) => (at - since) / 1000)
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

  it('raises the alert after an hour, also when another process takes over, and goes on', async () => {
    await stage.addNode('n')
    await stage.addPod('n', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    const series = `mcc_drain_err{node="${stage.named('n')}"} 1`
    const first = stage.start()
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    await stage.until('it is blocked', async () => (await stage.drained('n')).includes('held up'))
    const told = await stage.drained('n')
    await stage.kill(first)
    expect(first.metrics.text()).not.toContain(series)
    await stage.clock.advance(61 * minute)
    const second = stage.start()
    await stage.until(
      'the alert is raised',
      async () => second.metrics.text().includes(series),
      minute,
    )
    await stage.until(
      'an event tells it',
      async () => {
        return (await stage.eventsOf('n')).includes('DrainFailed')
      },
      minute,
    )
    expect(await stage.drained('n')).toBe(told)
    await stage.release('web')
    await stage.untilApplied('n', 'drain-x')
    await stage.until(
      'the alert is over',
      async () => !second.metrics.text().includes(series),
      minute,
    )
  })

  it('uses force, keeps pods and gives another grace where a DrainPolicy says so', async () => {
    const pool = stage.named('pool')
    await stage.policy(pool, {
      forceAfterSeconds: 120,
      gracePeriodSeconds: 7,
      skipPodSelector: { matchLabels: { stays: 'yes' } },
    })
    await stage.addNode('n', { pool })
    stage.deadKubelets.add(stage.named('n'))
    await stage.addPod('n', 'kept', { labels: { stays: 'yes' } })
    await stage.addPod('n', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    stage.start()
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    await stage.until('it is blocked', async () => (await stage.drained('n')).includes('held up'))
    expect(await stage.podsOn('n')).toEqual(['kept', 'web-1'])
    await stage.clock.advance(2 * minute)
    const graceOf = async (name: string): Promise<number | undefined> => {
      const { items } = await stage.client.list(podsResource, { namespace: stage.namespace })
      return items.find(({ metadata }) => metadata.name === name)?.metadata
        .deletionGracePeriodSeconds
    }
    await stage.until('it is deleted all the same', async () => (await graceOf('web-1')) === 7)
    stage.deadKubelets.clear()
    await stage.untilApplied('n', 'drain-x')
    expect(await stage.podsOn('n')).toEqual(['kept'])
  })

  it.each([
    { keepCordoned: false, cordoned: false },
    { keepCordoned: true, cordoned: true },
  ])(
    'a node that was cordoned before: keepCordoned $keepCordoned',
    async ({ keepCordoned, cordoned }) => {
      const pool = stage.named('pool')
      await stage.policy(pool, { keepCordoned })
      await stage.addNode('n', { pool, unschedulable: true, desired: 'drain-x' })
      stage.start()
      await stage.untilApplied('n', 'drain-x')
      await stage.annotate('n', 'desiredDrain', 'uncordon-x')
      await stage.untilApplied('n', 'uncordon-x')
      expect((await stage.node('n')).spec?.unschedulable ?? false).toBe(cordoned)
      expect(await stage.conditions('n')).toContain(`Uncordoned=${cordoned ? 'False' : 'True'}`)
    },
  )

  it('waits for a turn of the pool where the node was given no other config, and says so', async () => {
    const pool = stage.named('pool')
    await stage.addPool(pool)
    const annotations = {
      'machineconfiguration.openshift.io/currentConfig': 'x',
      'machineconfiguration.openshift.io/desiredConfig': 'x',
    }
    const before = await stage.addNode('n', { pool, desired: 'drain-x', annotations })
    stage.start()
    await stage.until('the reason is on the MachineConfigNode', async () => {
      return (await stage.drained('n')).includes(`MachineConfigPool ${pool} has not given`)
    })
    await stage.until('an event names it', async () => {
      return (await stage.eventsOf('n')).includes('WaitingForTurn')
    })
    await stage.clock.advance(5 * minute)
    const waiting = await stage.node('n')
    expect(waiting.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    await stage.giveTurn(pool, 'n')
    await stage.untilApplied('n', 'drain-x')
  })

  it('drains a node at once that was given another config than it runs', async () => {
    const pool = stage.named('pool')
    await stage.addPool(pool)
    const annotations = {
      'machineconfiguration.openshift.io/currentConfig': 'w',
      'machineconfiguration.openshift.io/desiredConfig': 'x',
    }
    await stage.addNode('n', { pool, desired: 'drain-x', annotations })
    stage.start()
    await stage.untilApplied('n', 'drain-x')
    expect(await stage.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
  })

  it('says what it does not understand, and touches nothing', async () => {
    const before = await stage.addNode('n', { desired: 'foo-x' })
    stage.start()
    await stage.until('an event tells it', async () => {
      return (await stage.eventsOf('n')).includes('DrainFailed')
    })
    expect((await stage.node('n')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })

  it('forgets a node that is gone', async () => {
    await stage.addNode('n', { desired: 'drain-x' })
    const { metrics } = stage.start()
    await stage.untilApplied('n', 'drain-x')
    expect(metrics.text()).toContain(`object="${stage.named('n')}"`)
    await stage.client.remove(nodes, { name: stage.named('n') })
    await stage.until('nothing is left of it', async () => {
      return !metrics.text().includes(`object="${stage.named('n')}"`)
    })
  })

  const deaths = Array.from({ length: 10 }, (_, writes) => ({ writes }))
  it.each(deaths)('killed with its write $writes: nothing is lost', async ({ writes }) => {
    const { transport } = cluster()
    await stage.addNode('n')
    await stage.addPod('n', 'free-1')
    await stage.addPod('n', 'free-2')
    await stage.addPod('n', 'web-1', { labels: { app: 'web' } })
    await stage.budget('web', 1, 0)
    const mortal = new MortalTransport(transport, writes)
    const first = stage.start(new KubeClient({ transport: mortal, clock: systemClock }))
    await stage.annotate('n', 'desiredDrain', 'drain-x')
    let released = false
    const isOver = async (): Promise<boolean> => {
      const isDone = (await stage.lastApplied('n')) === 'drain-x'
      if (isDone) await expectDrained()
      const isHeldUp = (await stage.drained('n')).includes('held up')
      if (!released && isHeldUp) {
        released = true
        await stage.release('web')
      }
      return isDone || mortal.isDead
    }
    const expectDrained = async (): Promise<void> => {
      expect(await stage.podsOn('n')).toEqual([])
      expect((await stage.node('n')).spec?.unschedulable).toBe(true)
    }
    await stage.until('it is dead or done', isOver)
    const since = (await stage.node('n')).metadata.annotations?.['machinist.dev/drain']
    await stage.kill(first)
    // Also when it was released before: an eviction that was cut off may have used it up.
    await stage.release('web')
    stage.start()
    await stage.untilApplied('n', 'drain-x')
    await expectDrained()
    const after = (await stage.node('n')).metadata.annotations?.['machinist.dev/drain']
    expect(after).toBe(since)
    expect(await stage.conditions('n')).toEqual(['Cordoned=True', 'Drained=True'])
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
