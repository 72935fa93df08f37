import { expect, it } from 'vitest'
import { RefusingServer } from '@machinist/testing/servers/refusing-server'
import { messageOf } from '@machinist/core/errors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { Controller } from '@machinist/kube/controller/controller'
import { configOf, fileWith } from '../../fleet/render/render-inputs.fixture.ts'
import { stillCache } from '../still-cache.fixture.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { RenderCaches } from './caches.ts'
import { renderController } from './render.ts'

const version = '1.2.3'
const role = 'machineconfiguration.openshift.io/role'
const pool: MachineConfigPool = {
  metadata: { name: 'worker', uid: 'u', resourceVersion: '7' },
  spec: { machineConfigSelector: { matchLabels: { [role]: 'worker' } } },
}
const controllerConfig: Omit<ControllerConfig, 'spec'> & { spec: object } = {
  metadata: {
    name: 'machine-config-controller',
    generation: 1,
    annotations: { 'machineconfiguration.openshift.io/generated-by-version': version },
  },
  spec: {},
  status: {
    observedGeneration: 1,
    conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }],
  },
}

function controllerOn(transport: RefusingServer): Controller {
  const clock = new VirtualClock()
  const tools = {
    client: new KubeClient({ transport, clock, random: { next: () => 0 } }),
    random: seededRandom(7),
    log: silentLogger,
    events: { normal: () => undefined, warning: () => undefined },
    metrics: new Metrics(),
    clock,
  }
  const caches: RenderCaches = {
    pools: stillCache(pool),
    machineConfigs: stillCache(configOf('00-worker', fileWith('/etc/password', 'hunter2'))),
    controllerConfigs: stillCache(controllerConfig as ControllerConfig),
    kubeletConfigs: stillCache(),
    containerRuntimeConfigs: stillCache(),
    machineConfigurations: stillCache(),
    nodes: stillCache(),
    machineConfigNodes: stillCache(),
  }
  return renderController(tools, caches, { maker: { version, build: 'b' } })
}

it.each([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [413, 'RequestEntityTooLarge'],
  [422, 'Invalid'],
])(
  'reports a rejection with %i (%s) and the field, but no contents of files',
  async (code, reason) => {
    const server = new RefusingServer(pool, code, reason)
    const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
    const thrown = await controllerOn(server).reconcile('worker', context).catch(messageOf)
    expect(JSON.stringify(server.refused)).toContain('hunter2')
    expect(JSON.stringify([server.statuses, thrown])).not.toContain('hunter2')
    const why = `the API server refused MachineConfig ${server.refused[0]?.metadata.name} (${code} ${reason}) because of spec.config.storage.files[0].contents.source (FieldValueInvalid)`
    expect(thrown).toBe(why)
    const condition = {
      type: 'RenderDegraded',
      status: 'True',
      reason: 'Refused',
      message: `Failed to render configuration for pool worker: ${why}`,
    }
    expect(server.statuses).toMatchObject([{ status: { conditions: [condition] } }])
  },
)
