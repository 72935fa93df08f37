import { isObject } from '@machinist/core/encoding/json'
import { notFound, StatusError } from '../status/status-error.ts'
import { objectKey } from '../objects/object-key.ts'
import type { Target, VerbContext } from './verb-context.ts'

/** Nothing is created in a namespace that does not exist or is terminating. */
export function checkNamespace(
  context: VerbContext,
  { kind, namespace }: Target,
  name: string,
): void {
  if (!kind.namespaced || namespace === undefined) return
  const namespaces = context.kinds.find('', 'v1', 'namespaces')
  if (!namespaces) return
  const stored = context.store.get(objectKey(namespaces, undefined, namespace))
  if (!stored) {
    throw notFound({ group: '', resource: 'namespaces', kind: 'Namespace', name: namespace })
  }
  if (isTerminating(stored.value)) throw terminating(kind.group, kind.plural, namespace, name)
}

const immortal = new Set(['default', 'kube-system', 'kube-public'])

export function checkMayDelete({ kind, name }: Target): void {
  if (kind.group !== '' || kind.plural !== 'namespaces' || !immortal.has(name ?? '')) return
  throw new StatusError(
    403,
    'Forbidden',
    `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`,
    { name, kind: 'namespaces' },
  )
}

function isTerminating(value: string): boolean {
  const { status } = JSON.parse(value) as { status?: unknown }
  return isObject(status) && status['phase'] === 'Terminating'
}

function terminating(group: string, plural: string, namespace: string, name: string): StatusError {
  const resource = group === '' ? plural : `${plural}.${group}`
  return new StatusError(
    403,
    'Forbidden',
    `${resource} ${JSON.stringify(name)} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      name,
      ...(group === '' ? {} : { group }),
      kind: plural,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  )
}
