import type { Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { imageRegistryKinds, kinds } from '../../api/definitions/kinds.ts'
import type { Kind } from '../../api/schema/kind.ts'
import { applyKinds } from '../../process/install-kinds.ts'
import { openShiftKinds, sharedKinds } from '../manifests/input-kinds.ts'

/**
 * Installs the kinds that the cluster serves. The operator reads from them whether the cluster is OpenShift, which serves all its
 * kinds, with or without objects.
 */
export async function installServedKinds(client: KubeClient, isOpenShift: boolean): Promise<void> {
  await applyKinds(client, ownKinds(isOpenShift))
  if (!isOpenShift) return
  for (const resource of [...sharedKinds, ...openShiftKinds]) {
    await client.create(customResourceDefinitions, openDefinition(resource))
  }
}

/** OpenShift has its own definitions of the image registry kinds. */
const ownKinds = (isOpenShift: boolean): readonly Kind[] =>
  isOpenShift ? kinds : [...kinds, ...imageRegistryKinds]

/** Every served kind. */
export function servedResources(isOpenShift: boolean): readonly Resource[] {
  const own = ownKinds(isOpenShift).map(({ resource }) => resource)
  return isOpenShift ? [...own, ...sharedKinds, ...openShiftKinds] : own
}

/** A definition without a schema: OpenShift's are not part of Machinist, and the operator checks the fields that it reads. */
function openDefinition(resource: Resource): CustomResourceDefinition {
  const { group, plural, kind, namespaced, version } = resource
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema },
        },
      ],
    },
  }
}
