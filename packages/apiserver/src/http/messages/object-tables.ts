import { includeObjectFrom, tableOf } from '../../table/table.ts'
import type { Tables } from './api-parts.ts'

/** The tables of `kubectl get`, in v1 and v1beta1. */
export const objectTables: Tables = {
  table({ kind, objects, includeObject, now, withColumns: headers, metadata, version }) {
    const include = includeObjectFrom(includeObject)
    const table = tableOf(kind, objects, { now, includeObject: include, headers, metadata })
    return { ...table, apiVersion: `meta.k8s.io/${version}` }
  },
}
