import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { Refusal } from '../refusal.ts'
import { storedText } from './stored-object.ts'

/** etcd's `--max-request-bytes`. */
const mostBytes = 1_572_864
/** A request names the key three times, and has some fields of its own. */
const requestBytes = (key: string, text: string): number =>
  Buffer.byteLength(text) + 3 * key.length + 40

/**
 * The text to store under a key, if etcd would take it. As kube-apiserver does, notes about who wrote which field are left out
 * where it fits without them.
 */
export function storableText(kind: ServedKind, key: string, object: ApiObject): string {
  const text = storedText(kind, object)
  // No character takes more than three bytes: most objects need not be measured.
  if (text.length * 3 < mostBytes || requestBytes(key, text) <= mostBytes) return text
  const { managedFields: _, ...metadata } = object.metadata
  const plain = storedText(kind, { ...object, metadata })
  if (requestBytes(key, plain) <= mostBytes) return plain
  throw new Refusal(500, '', 'etcdserver: request is too large')
}
