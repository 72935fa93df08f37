import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { schedulers } from '../../../src/api/openshift-config.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject } from '../../../src/base/resource.ts'
import { controlPlaneController } from '../../../src/controllers/control-plane/control-plane.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import { OptionalSource } from '../../../src/kube/informer/optional-source.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds/apiextensions.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { startServer } from '../../apiserver/http/running-server.ts'
import { until } from '../../support/until.ts'

const role = (name: string): string => `node-role.kubernetes.io/${name}`

describe('the control plane controller on the embedded API server', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let stop: AbortController
  let running: Promise<unknown>[]

  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  beforeEach(() => {
    stop = new AbortController()
    running = []
  })
  afterEach(async () => {
    stop.abort()
    await Promise.all(running)
  })

  const run = (): void => {
    const { client } = server
    const runtime = {
      clock: systemClock,
      random: seededRandom(7),
      log: silentLogger,
      metrics: new Metrics(),
    }
    const started = <T extends KubeObject>(informer: Informer<T>): Informer<T> => {
      running.push(informer.start(stop.signal))
      return informer
    }
    const caches = {
      nodes: started(
        new Informer({ ...runtime, resource: 'nodes', source: client.listWatch(nodes) }),
      ),
      schedulers: started(
        new Informer({
          ...runtime,
          resource: 'schedulers',
          source: new OptionalSource(client.listWatch(schedulers), systemClock),
        }),
      ),
    }
    const controller = controlPlaneController({ client, caches })
    running.push(new ControllerRunner(controller, runtime).run(stop.signal))
  }
  const marks = async (): Promise<string> => {
    const { metadata, spec } = await server.client.get(nodes, { name: 'master-0' })
    // A new node also has the taint that says it is not ready.
    const ours = spec?.taints?.filter(({ key }) => key.startsWith('node-role.')) ?? []
    const taints = ours.map(({ key, effect }) => `${key}:${effect}`)
    return [...Object.keys(metadata.labels ?? {}).sort(), ...taints].join(' ')
  }

  it('adds the newer label where the cluster has no Scheduler', async () => {
    await server.client.create(nodes, {
      metadata: { name: 'master-0', labels: { [role('master')]: '' } },
    })
    run()
    const expected = `${role('control-plane')} ${role('master')}`
    await until('it has both labels', async () => (await marks()).includes('control-plane'))
    expect(await marks()).toBe(expected)
  })

  it('follows the Scheduler', async () => {
    const { client } = server
    await client.create(customResourceDefinitions, {
      metadata: { name: 'schedulers.config.openshift.io' },
      spec: {
        group: 'config.openshift.io',
        scope: 'Cluster',
        names: { kind: 'Scheduler', plural: 'schedulers', singular: 'scheduler' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    } as never)
    await until('schedulers are served', async () => {
      return client.list(schedulers).then(
        () => true,
        () => false,
      )
    })
    await client.create(schedulers, {
      metadata: { name: 'cluster' },
      spec: { mastersSchedulable: false },
    })
    run()
    const both = `${role('control-plane')} ${role('master')}`
    await until('pods are kept away', async () => {
      return (await marks()) === `${both} ${role('master')}:NoSchedule`
    })
    const spec = { mastersSchedulable: true }
    await client.patch(schedulers, { name: 'cluster' }, mergePatch({ spec }))
    await until('pods may come', async () => (await marks()) === `${both} ${role('worker')}`)
    await client.patch(
      nodes,
      { name: 'master-0' },
      mergePatch({ metadata: { labels: { [role('worker')]: null } } }),
    )
    await until('it is put right', async () => (await marks()) === `${both} ${role('worker')}`)
    expect(await marks()).toBe(`${both} ${role('worker')}`)
  })
})
