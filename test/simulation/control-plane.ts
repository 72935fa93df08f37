import type { Transport } from '@machinist/kube/transport/transport'
import { runControllers } from '../../src/controllers/run-controllers.ts'
import type { TemplateSet } from '../../src/controllers/template/template-set.ts'
import type { Cluster } from './cluster.ts'
import { LedProcess } from './led-process.ts'

export const maker = { version: '1.2.3', build: 'machinist-1' }

/** One of the processes that may lead the controllers. */
export function controllerProcess(
  name: string,
  cluster: Cluster,
  tamper?: (transport: Transport) => Transport,
  templates?: TemplateSet,
): LedProcess {
  return new LedProcess({
    cluster,
    name,
    actor: 'controllers',
    lease: { namespace: 'default', name: 'machinist' },
    run: (tools, term) =>
      runControllers({ ...tools, maker, ...(templates && { templates }) }, term),
    ...(tamper && { tamper }),
  })
}
