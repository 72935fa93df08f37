import type { ApiObject, KindRules } from '../kind-rules.ts'
import { specOf, statusOf } from '../fields.ts'

const ownLabel = 'kubernetes.io/metadata.name'

export const namespaceRules: KindRules = {
  nameRule: 'label',
  returnsDeleted: true,
  prepareForCreate(namespace) {
    specOf(namespace)['finalizers'] = ['kubernetes']
    namespace['status'] = { phase: 'Active' }
  },
  complete(namespace) {
    const { metadata } = namespace
    metadata.labels = { ...metadata.labels, [ownLabel]: metadata.name }
    statusOf(namespace)['phase'] ??= 'Active'
  },
  /** Only the `finalize` subresource changes finalizers. */
  prepareForUpdate(namespace, before, { subresource }) {
    if (subresource !== 'finalize') specOf(namespace)['finalizers'] = specOf(before)['finalizers']
  },
  deletion: {
    mark: (namespace) => void (statusOf(namespace)['phase'] = 'Terminating'),
    held: (namespace) => held(namespace),
  },
}

const held = (namespace: ApiObject): boolean => {
  const finalizers = specOf(namespace)['finalizers']
  return Array.isArray(finalizers) && finalizers.length > 0
}
