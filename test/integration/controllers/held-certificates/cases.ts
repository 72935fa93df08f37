import { afterEach, beforeAll, expect, it } from 'vitest'
import type { Cancel, Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import type { Condition } from '@machinist/core/objects/resource'
import { base64Source } from '@machinist/ignition/content'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority } from '@machinist/pki/issue'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { heldCertificatesController } from '../../../../src/controllers/held-certificates/held-certificates.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { controllerConfig, theControllerConfig } from '../support/cluster-objects.ts'
import { untilEvent, poolCondition, untilPoolCondition } from '../support/reported.ts'

const held = 'machinist.dev/CertificatesHeld'
const delivery = 'machinist.dev/certificate-delivery'
const dayMs = 86_400_000
const end = Math.floor((Date.now() + 20.5 * dayMs) / 1000)
const endText = new Date(end * 1000).toISOString().replace('.000Z', 'Z')

/** The system clock; timers of an hour and more fire on `nextDay`. */
class DayClock implements Clock {
  readonly #tomorrow = new Set<() => void>()
  #offset = 0

  now = (): number => systemClock.now() + this.#offset
  elapsed = (): number => systemClock.elapsed() + this.#offset
  after(ms: number, task: () => void): Cancel {
    if (ms < dayMs / 24) return systemClock.after(ms, task)
    const once = (): void => void systemClock.after(0, task)
    this.#tomorrow.add(once)
    return () => void this.#tomorrow.delete(once)
  }

  nextDay(): void {
    this.#offset += dayMs
    for (const task of this.#tomorrow) task()
    this.#tomorrow.clear()
  }
}

/** Runs on the embedded API server and on a real one. */
export function heldCertificatesCases(client: KubeClient): void {
  let running: RunningControllers
  let clock: DayClock

  const run = (): void => {
    clock = new DayClock()
    running = new RunningControllers(
      client,
      (given) => {
        const { follow } = given
        const caches = {
          pools: follow(machineConfigPools),
          machineConfigs: follow(machineConfigs),
          controllerConfigs: follow(controllerConfigs),
        }
        return heldCertificatesController(given, caches)
      },
      { clock, informerClock: systemClock },
    )
  }

  beforeAll(async () => {
    await installDefinitions(client)
    await controllerConfig(client)
    const authority = async (name: string, seconds: number): Promise<string> => {
      const validity = { from: Date.now() - dayMs, until: seconds * 1000 }
      return (await createAuthority({ name, validity })).certificate
    }
    const old = await authority('kube-apiserver-to-kubelet-signer', end)
    const renewed = await authority('kube-apiserver-to-kubelet-signer', end + 3_000_000)
    await makeConfig('rendered-worker-1', old)
    await makeConfig('rendered-worker-2', old + renewed)
    await makeConfig('rendered-worker-3', old, 'data:,other')
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [machineConfigPools])
  })

  const makeConfig = (name: string, bundle: string, motd = 'data:,'): Promise<unknown> => {
    const source = base64Source(bundle)
    const files = [
      { path: '/etc/kubernetes/kubelet-ca.crt', mode: 420, contents: { source } },
      { path: '/etc/motd', contents: { source: motd } },
    ]
    const config = { ignition: { version: '3.2.0' }, storage: { files } }
    return client.create(machineConfigs, { metadata: { name }, spec: { config } })
  }
  const deliver = (how: string): Promise<unknown> =>
    client.patch(
      controllerConfigs,
      theControllerConfig,
      mergePatch({ metadata: { annotations: { [delivery]: how } } }),
    )
  const updated: Condition = {
    type: 'Updated',
    status: 'False',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const pool = async (name: string, desired: string, paused = true): Promise<void> => {
    const spec = { paused, configuration: { name: desired } }
    await client.create(machineConfigPools, { metadata: { name }, spec })
    const status = { configuration: { name: 'rendered-worker-1' }, conditions: [updated] }
    const patch = mergePatch({ status })
    await client.patch(machineConfigPools, { name }, patch, { subresource: 'status' })
  }
  const change = (name: string, spec: object): Promise<MachineConfigPool> =>
    client.patch(machineConfigPools, { name }, mergePatch({ spec }))
  const condition = (name: string): Promise<Condition | undefined> =>
    poolCondition(client, name, held)
  const untilCondition = (name: string, status: string, text: string): Promise<void> =>
    untilPoolCondition(client, name, { type: held, status, text })
  const metric = (name: string): string | undefined =>
    new RegExp(`^machine_config_controller_paused_pool_kubelet_ca{pool="${name}"} (.*)$`, 'm').exec(
      running.metrics.text(),
    )?.[1]

  it('reports the remaining days of a pause until it ends', async () => {
    await deliver('rendered')
    await pool('worker', 'rendered-worker-2')
    run()
    await untilCondition('worker', 'True', `expires at ${endText}, 20 days left`)
    const { lastTransitionTime, message, reason } = (await condition('worker'))!
    expect(reason).toBe('PoolPaused')
    expect(message).toMatch(`since ${lastTransitionTime} the pause keeps a new`)
    expect(metric('worker')).toBe(String(end))
    clock.nextDay()
    await untilCondition('worker', 'True', '19 days left')
    const now = (await condition('worker'))!
    expect([now.lastTransitionTime, now.message]).toEqual([
      lastTransitionTime,
      message!.replace('20 days', '19 days'),
    ])
    const { status } = await client.get(machineConfigPools, { name: 'worker' })
    expect(status?.conditions?.[0]).toEqual(updated)
    await untilEvent(client, { reason: 'CertificatesHeld', message: message! })
    await change('worker', { paused: false })
    await untilCondition('worker', 'False', 'the pool is not paused')
    expect(metric('worker')).toBe('0')
  })

  it('sets no condition on pools that hold no certificate', async () => {
    await deliver('rendered')
    await pool('other', 'rendered-worker-3')
    await pool('running', 'rendered-worker-2', false)
    await pool('late', 'rendered-worker-4')
    run()
    await until('all pools have a metric', () =>
      ['other', 'running', 'late'].every((n) => metric(n) === '0'),
    )
    for (const name of ['other', 'running', 'late']) expect(await condition(name)).toBeUndefined()
    // The cache may have a pool before its rendered config.
    await makeConfig('rendered-worker-4', '')
    await untilCondition('late', 'True', '20 days left')
    await client.remove(machineConfigs, { name: 'rendered-worker-4' })
    await client.remove(machineConfigPools, { name: 'late' })
    await until('its metric is removed', () => metric('late') === undefined)
  })

  it('holds nothing with direct delivery, until the delivery changes', async () => {
    await deliver('direct')
    await pool('switched', 'rendered-worker-2')
    run()
    await until('the pool has a metric', () => metric('switched') === '0')
    expect(await condition('switched')).toBeUndefined()
    await deliver('rendered')
    await untilCondition('switched', 'True', '20 days left')
    await deliver('direct')
    await untilCondition('switched', 'False', 'the trust lane delivers certificates directly')
  })
}
