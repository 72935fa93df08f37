import { includeObjectFrom, tableOf } from '../table/table.ts'
import type { Tables } from './api-parts.ts'

/** `kubectl get`'s view, in both versions in which it is asked for. */
export const objectTables: Tables = {
  table({ kind, objects, includeObject, now, withColumns: headers, metadata, version }) {
    const shown = includeObjectFrom(includeObject)
    const table = tableOf(kind, objects, { now, includeObject: shown, headers, metadata })
    return { ...table, apiVersion: `meta.k8s.io/${version}` }
  },
}
