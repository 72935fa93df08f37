import type { PatchedKind } from '../shapes/shape-of-kind.ts'
import { FieldSet } from './field-set.ts'

/** Fields that only the server sets and that have no owner. */
export const serverFields = paths(
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
)

/** Fields that a write cannot change: status through the object itself, the spec through most subresources. */
export function resetFields(kind: PatchedKind, subresource: string): FieldSet {
  const hasStatus = kind.subresources.some(({ name }) => name === 'status')
  if (!hasStatus) return FieldSet.empty
  const name = `${kind.group}/${kind.kind}`
  if (subresource === '') return resetByItself[name] ?? status
  // These two change the spec.
  if (subresource === 'scale' || subresource === 'finalize') return status
  return resetByStatus[name] ?? spec
}

const status = paths('status')
const spec = paths('spec')

const resetByItself: Readonly<Record<string, FieldSet>> = {
  // The spec is immutable.
  'certificates.k8s.io/CertificateSigningRequest': paths('spec', 'status'),
}

const resetByStatus: Readonly<Record<string, FieldSet>> = {
  '/Pod': paths('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': paths('spec', 'metadata'),
  'apiextensions.k8s.io/CustomResourceDefinition': paths('spec', 'metadata'),
  'apps/Deployment': paths('spec', 'metadata.labels'),
}

function paths(...texts: readonly string[]): FieldSet {
  return FieldSet.from(texts.map((text) => text.split('.').map((name) => `f:${name}`)))
}
