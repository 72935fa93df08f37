import { InvalidInput } from '@machinist/core/errors'
import { clusterEntries } from './kubeconfig-ca-entries.ts'

/** Where a kubeconfig specifies the CAs of the API server. */
export type KubeconfigCA =
  | { readonly type: 'inline'; readonly pem: string }
  /** In another file, or nowhere: this file contains nothing to change. */
  | { readonly type: 'elsewhere'; readonly why: string }

/** The CAs of the first cluster, which is the one that kubelets use. Messages never quote the file: it contains tokens. */
export function caIn(text: string, path: string): KubeconfigCA {
  const [first] = clusterEntries(text, path)
  if (!first) return { type: 'elsewhere', why: 'contains no cluster' }
  if (first.data) return { type: 'inline', pem: decoded(first.data.value, path) }
  const why = first.hasFile ? 'refers to a CA file' : 'contains no CAs'
  return { type: 'elsewhere', why }
}

/**
 * Replaces the CAs of the first cluster, and of every other cluster with the same CAs. All other bytes stay.
 */
export function withCA(text: string, path: string, pem: string): string {
  const entries = clusterEntries(text, path)
  const old = entries[0]?.data?.value
  if (old === undefined) throw new InvalidInput(`${path} contains no CAs to replace`)
  const value = Buffer.from(pem).toString('base64')
  let changed = ''
  let from = 0
  for (const { data } of entries) {
    if (data?.value !== old) continue
    changed += text.slice(from, data.start) + value
    from = data.end
  }
  return changed + text.slice(from)
}

function decoded(value: string, path: string): string {
  if (value.length % 4 === 0 && base64.test(value)) return Buffer.from(value, 'base64').toString()
  throw new InvalidInput(`${path}: certificate-authority-data of its first cluster is not base64`)
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/
