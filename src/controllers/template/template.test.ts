import { expect, it } from 'vitest'
import { RefusingServer } from '@machinist/testing/servers/refusing-server'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { stillCache } from '../still-cache.fixture.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TemplateCaches } from './inputs.ts'
import { readTemplates } from './template-set.ts'
import { templateController } from './template.ts'

const name = 'machine-config-controller'
const controllerConfig = { metadata: { name, uid: 'u', generation: 1 }, spec: {} }

it.each([403, 422])(
  'requeues after a rejection with %i, because no event announces its end',
  async (code) => {
    const clock = new VirtualClock()
    const transport = new RefusingServer(controllerConfig, code, 'Forbidden')
    const tools = {
      client: new KubeClient({ transport, clock, random: { next: () => 0 } }),
      random: seededRandom(7),
      log: silentLogger,
      events: { normal: () => undefined, warning: () => undefined },
      clock,
      metrics: new Metrics(),
    }
    const caches: TemplateCaches = {
      controllerConfigs: stillCache(controllerConfig as ControllerConfig),
      machineConfigs: stillCache(),
      pullSecrets: stillCache(),
    }
    const controller = templateController(tools, caches, {
      maker: { version: '1', build: 'b' },
      templates: readTemplates(new Map([['common/00/_base/files/etc/a.liquid', 'hunter2']])),
    })
    const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
    const outcome = await controller.reconcile(name, context)
    expect(outcome).toEqual({ type: 'requeue', afterMs: 60_000 })
    const [stored] = transport.refused
    expect(JSON.stringify(stored)).toContain('data:,hunter2')
    expect(JSON.stringify(transport.statuses)).not.toContain('hunter2')
    expect(JSON.stringify(transport.statuses)).toContain(
      `refused MachineConfig ${stored?.metadata.name} (${code} Forbidden) because of spec.config.storage.files[0].contents.source (FieldValueInvalid)`,
    )
  },
)
