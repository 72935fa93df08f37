import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { StatusError } from '../status/status-error.ts'
import { encodeStored } from './stored-object.ts'

/** etcd's `--max-request-bytes`. */
const maxBytes = 1_572_864
/** An etcd request contains the key three times, and some overhead. */
const requestBytes = (key: string, text: string): number =>
  Buffer.byteLength(text) + 3 * key.length + 40

/**
 * The text to store, if etcd would accept its size. As in kube-apiserver, managedFields are dropped if the object
 * fits without them.
 */
export function storableText(kind: ServedKind, key: string, object: ApiObject): string {
  const text = encodeStored(kind, object)
  // A UTF-16 unit takes at most three bytes: most objects need no exact measurement.
  if (text.length * 3 < maxBytes || requestBytes(key, text) <= maxBytes) return text
  const { managedFields: _, ...metadata } = object.metadata
  const plain = encodeStored(kind, { ...object, metadata })
  if (requestBytes(key, plain) <= maxBytes) return plain
  throw new StatusError(500, '', 'etcdserver: request is too large')
}
