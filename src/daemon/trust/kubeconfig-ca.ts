import { InvalidInput } from '@machinist/core/errors'
import { clusterEntries } from './kubeconfig-ca-entries.ts'

/** How a kubeconfig says by which CAs the API server is known. */
export type KubeconfigCA =
  | { readonly is: 'inline'; readonly pem: string }
  /** It is elsewhere, or nowhere: nothing that could be changed in this file. */
  | { readonly is: 'elsewhere'; readonly why: string }

/** Of the first cluster, as kubelets use it. Complaints name the file and never quote it: there are tokens in it. */
export function caIn(text: string, path: string): KubeconfigCA {
  const [first] = clusterEntries(text, path)
  if (!first) return { is: 'elsewhere', why: 'names no cluster' }
  if (first.data) return { is: 'inline', pem: decoded(first.data.value, path) }
  const why = first.hasFile ? 'names a file with the CAs' : 'brings no CAs'
  return { is: 'elsewhere', why }
}

/**
 * The same text with other CAs for the first cluster, and for every other one that has the same as the first. Nothing else
 * changes, to the byte.
 */
export function withCA(text: string, path: string, pem: string): string {
  const entries = clusterEntries(text, path)
  const old = entries[0]?.data?.value
  if (old === undefined) throw new InvalidInput(`${path} holds no CAs that could be replaced`)
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
