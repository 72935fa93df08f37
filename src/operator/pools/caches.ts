import type { Clock } from '@machinist/core/clock'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import { labels } from '../../api/labels.ts'
import { namespaces as fixedNamespaces } from '../../api/names.ts'

/** Only Secrets with user data of pools. */
const userDataScope: ListWatchScope = {
  namespace: fixedNamespaces.machineAPI,
  labels: labels.caDerivedFromConfigMap,
}

/** The namespace of the Machine API, which not every cluster has. */
export const machineAPIScope: ListWatchScope = {
  fields: `metadata.name=${fixedNamespaces.machineAPI}`,
}

/** The Secrets, once their namespace exists. Clusters without the namespace need no RBAC for it. */
export function userDataSource(client: KubeClient, clock: Clock): ListWatch<Secret> {
  const source = client.listWatch(secrets, userDataScope)
  const ifNamespaceExists: ListWatch<Secret> = {
    list: async (options, signal) => {
      await client.getMetadata(namespaces, { name: fixedNamespaces.machineAPI }, { signal })
      return source.list(options, signal)
    },
    watch: (options, signal) => source.watch(options, signal),
  }
  return new OptionalSource(ifNamespaceExists, clock)
}
