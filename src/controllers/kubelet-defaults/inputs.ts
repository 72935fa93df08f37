import { names } from '../../api/names.ts'
import type { NodeConfig, FeatureGate, APIServer } from '../../api/openshift-config.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import { isNews } from '../../kube/controller/news.ts'
import type { Change } from '../../kube/informer/change.ts'
import type { DefaultsCaches } from './gather.ts'

/** What the cluster says about all kubelets. Whatever counts of it wakes all keys. */
export function clusterInputs(
  { nodeConfigs, featureGates, apiServers }: DefaultsCaches,
  all: () => Iterable<string>,
): Input[] {
  return [
    input({
      resource: 'Node (config.openshift.io)',
      informer: nodeConfigs,
      keys: (change) => (counts(change, ofNode) ? all() : []),
    }),
    input({
      resource: 'FeatureGate',
      informer: featureGates,
      keys: (change) => (counts(change, ofFeatureGate) ? all() : []),
    }),
    input({
      resource: 'APIServer',
      informer: apiServers,
      keys: (change) => (counts(change, ofApiServer) ? all() : []),
    }),
  ]
}

/** Only the one object of each kind does, and of that only some fields. */
function counts<T extends KubeObject>(
  change: Change<T>,
  said: (object: Readonly<T>) => unknown,
): boolean {
  return change.object.metadata.name === names.clusterConfig && isNews(change, said)
}

const ofNode = ({ spec }: Readonly<NodeConfig>): unknown => spec
const ofFeatureGate = ({ spec, status }: Readonly<FeatureGate>): unknown => [
  spec,
  status?.featureGates,
]
const ofApiServer = ({ spec }: Readonly<APIServer>): unknown => spec?.tlsSecurityProfile
