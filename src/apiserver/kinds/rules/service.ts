import type { KindRules } from '../kind-rules.ts'
import { fill, items, specOf, statusOf } from './fields.ts'

/** Nothing here gives out addresses: services are headless to the embedded server unless they bring their own. */
export const serviceRules: KindRules = {
  nameRule: 'service',
  returnsDeleted: true,
  complete(service) {
    const spec = specOf(service)
    for (const port of items(spec['ports'])) {
      fill(port, { protocol: 'TCP' })
      fill(port, { targetPort: port['port'] })
    }
    fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' })
    if (spec['type'] !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' })
    fill(statusOf(service), { loadBalancer: {} })
  },
}
