import { afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { controllerConfigs, machineConfigPools } from '../../../../src/api/kinds/resources.ts'
import { tokenIn } from '../../../../src/fleet/provisioning/pointer.ts'
import { TaskReports } from '../../../../src/operator/cluster-operator/tasks.ts'
import { machineAPIScope, userDataSource } from '../../../../src/operator/pools/caches.ts'
import { poolsController } from '../../../../src/operator/pools/pools.ts'
import { provisioningTokensController } from '../../../../src/operator/provisioning-tokens/provisioning-tokens.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { exampleControllerConfig } from '../../controllers/support/example-controller-config.ts'
import { allowed, RunningAccess } from '../../server/access/running-access.ts'

const namespace = 'machinist-provisioning'
const hour = 3_600_000
const day = 24 * hour

/** Runs on the embedded API server and on a real one. Each case continues from the state of the last one. */
export function provisioningTokenCases(client: KubeClient): void {
  const clock = new VirtualClock()
  let running: RunningControllers
  let reports: TaskReports
  let server: RunningAccess | undefined

  beforeAll(async () => {
    await installDefinitions(client)
    const { spec } = exampleControllerConfig('plain-kubernetes')
    const status = { apiServerInternalURI: 'https://api-int.c.example.com:6443' }
    const cluster = { apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure' }
    const infra = { ...cluster, metadata: { name: 'cluster' }, spec: {}, status }
    await client.create(controllerConfigs, {
      metadata: { name: 'machine-config-controller' },
      spec: { ...spec, rootCAData: 'Q0EK', infra },
    })
    const annotations = { 'machinist.dev/provisioning-token-refresh': '240h' }
    const metadata = { name: 'worker', annotations }
    await client.create(machineConfigPools, { metadata, spec: {} })
  })
  afterEach(async () => {
    await running.stop()
    await server?.stop()
    server = undefined
  })

  /** Starts the controllers that maintain tokens and user data, as after a crash. */
  const run = (): void => {
    reports = new TaskReports()
    const build: ConstructorParameters<typeof RunningControllers>[1] = ({ follow, ...given }) => {
      const caches = {
        pools: follow(machineConfigPools),
        controllerConfigs: follow(controllerConfigs),
        userData: follow(secrets, { source: userDataSource(client, systemClock) }),
        machineAPI: follow(namespaces, { scope: machineAPIScope }),
        provisioning: follow(secrets, { scope: { namespace } }),
      }
      return [
        poolsController(given, caches, { reports }),
        provisioningTokensController(given, caches, { reports }),
      ]
    }
    running = new RunningControllers(client, build, { clock, informerClock: systemClock })
  }
  const serve = async (): Promise<RunningAccess> => {
    server = new RunningAccess(client, 1, clock)
    await server.synced
    return server
  }
  const secret = (name: string): Promise<Secret | undefined> =>
    ignoreNotFound(client.get(secrets, { namespace, name }))
  const decoded = async (name: string, key: string): Promise<string> =>
    Buffer.from((await secret(name))?.data?.[key] ?? '', 'base64').toString()
  const token = (pool = 'worker'): Promise<string> => decoded(`provisioning-token-${pool}`, 'token')
  const inUserData = async (pool = 'worker'): Promise<string | undefined> =>
    tokenIn(await decoded(`${pool}-user-data-managed`, 'userData'))
  /** Lets the controllers react, in little virtual time. */
  const eventually = (what: string, isSo: () => Promise<boolean>, stepMs = 10): Promise<void> =>
    until(what, async () => {
      if (await isSo()) return true
      await clock.advance(stepMs)
      return false
    })
  const bothEqual = async (): Promise<boolean> =>
    (await token()) !== '' && (await token()) === (await inUserData())

  it('reports a missing namespace, and creates tokens when it exists', async () => {
    run()
    await eventually('it is reported', () =>
      Promise.resolve(
        reports
          .list()
          .some(({ message }) =>
            message.startsWith('namespace machinist-provisioning does not exist'),
          ),
      ),
    )
    await client.create(namespaces, { metadata: { name: namespace } })
    await eventually('there is user data with the token', bothEqual, 1000)
    await eventually('nothing is reported', () => Promise.resolve(reports.list().length === 0))
    expect(await token()).toHaveLength(43)
  })

  it('rotates: the newest user data is accepted at every moment, and the token before until the overlap ends', async () => {
    const access = await serve()
    /** The tokens in order, each with the time at which it was replaced. */
    const history: { readonly text: string; replacedAt?: number }[] = [{ text: await token() }]
    for (let round = 0; round < 5; round++) {
      run()
      // The refresh time is 10 days, the overlap 7 days.
      while (history.length < round + 2) {
        await clock.leap(8 * hour)
        for (let probe = 0; probe < 3; probe++) {
          const newest = await inUserData()
          expect(await access.ask(newest)).toBe(allowed)
          const now = await token()
          if (now === history.at(-1)!.text) continue
          history.at(-1)!.replacedAt = clock.now()
          history.push({ text: now })
        }
        const [last, before] = [history.at(-1)!, history.at(-2)]
        const isOverlap = before && clock.now() < before.replacedAt! + 7 * day - 9 * hour
        for (const { text } of isOverlap ? [last, before] : [last]) {
          expect(await access.ask(text)).toBe(allowed)
        }
      }
      await eventually('user data has followed', bothEqual)
      // Killed at an arbitrary moment: the next process continues.
      await running.kill()
    }
    run()
    const before = history.at(-2)!
    await clock.leap(7 * day + hour)
    await eventually('the token before is removed', async () => {
      const { data } = (await secret('provisioning-token-worker'))!
      return !Object.hasOwn(data!, 'previous')
    })
    expect(await access.ask(before.text)).toBe('401 UnknownToken')
    expect(await access.ask(await inUserData())).toBe(allowed)
    expect(new Set(history.map(({ text }) => text)).size).toBe(6)
    const events = await running.told('MachineConfigPool')
    expect(events.filter((event) => event === 'Normal ProvisioningTokenRotated').length > 0).toBe(
      true,
    )
  })

  it('keeps the ranges of the user, and repairs everything else', async () => {
    const access = await serve()
    run()
    const key = { namespace, name: 'provisioning-token-worker' }
    const annotations = {
      'machinist.dev/token-cidrs': '10.0.0.0/8',
      'machinist.dev/token-uses': '1',
    }
    const metadata = { annotations, labels: { 'machinist.dev/pool': 'infra' }, ownerReferences: [] }
    await client.patch(secrets, key, mergePatch({ metadata }))
    await eventually('it is repaired', async () => {
      const { labels, annotations: given = {} } = (await secret(key.name))!.metadata
      return labels?.['machinist.dev/pool'] === 'worker' && !('machinist.dev/token-uses' in given)
    })
    await eventually('user data has followed', bothEqual)
    const repaired = (await secret(key.name))!.metadata
    expect(repaired.annotations?.['machinist.dev/token-cidrs']).toBe('10.0.0.0/8')
    expect(repaired.ownerReferences).toMatchObject([{ kind: 'MachineConfigPool', name: 'worker' }])
    expect(await access.ask(await inUserData(), '10.0.0.5')).toBe(allowed)
    expect(await access.ask(await inUserData(), '192.0.2.1')).toBe('403 AddressNotAllowed')
    await client.patch(
      secrets,
      key,
      mergePatch({ metadata: { annotations: { 'machinist.dev/token-cidrs': null } } }),
    )
  })

  it('revokes a token: the operator creates another one, and user data follows', async () => {
    const access = await serve()
    const before = await token()
    run()
    await client.remove(secrets, { namespace, name: 'provisioning-token-worker' })
    await eventually('there is another token', async () => {
      return (await token()) !== before && (await bothEqual())
    })
    expect(await access.ask(before)).toBe('401 UnknownToken')
    expect(await access.ask(await inUserData())).toBe(allowed)
  })

  it('removes the token of a deleted pool, but not a token of a user', async () => {
    run()
    await client.create(machineConfigPools, { metadata: { name: 'infra' }, spec: {} })
    await eventually('it has a token', async () => (await token('infra')) !== '')
    const mine = { namespace, name: 'mine', labels: { 'machinist.dev/pool': 'infra' } }
    const data = { token: Buffer.from('m'.repeat(43)).toString('base64') }
    const type = 'machinist.dev/provisioning-token'
    await client.create(secrets, { metadata: mine, type, data })
    await client.remove(machineConfigPools, { name: 'infra' })
    await eventually('it is gone', async () => {
      return (await secret('provisioning-token-infra')) === undefined
    })
    expect(await secret('mine')).toBeDefined()
    expect(running.logged).not.toContain(await token())
  })
}
