import { StatusError } from '../../status/status-error.ts'
import type { FieldSet } from './field-set.ts'
import type { Owner, Owners } from './managed-fields.ts'
import { pathText } from './path-element.ts'

/** 409: fields of other owners would change, and the client did not force it. */
export function conflictError(
  conflicts: ReadonlyMap<string, FieldSet>,
  owners: Owners,
): StatusError {
  const found = [...conflicts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, fields]) => ({
      owner: ownerText(owners.get(key)!),
      paths: fields.paths().map(pathText),
    }))
  const causes = found.flatMap(({ owner, paths }) =>
    paths.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${owner}`,
      field,
    })),
  )
  const [only] = causes
  const lines = found.map(({ owner, paths }) =>
    [`conflicts with ${owner}:`].concat(paths.map((path) => `- ${path}`)).join('\n'),
  )
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${only!.message}: ${only!.field}`
      : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`
  return new StatusError(409, 'Conflict', message, { causes })
}

function ownerText({ manager, operation, subresource, apiVersion }: Owner): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  const version = operation === 'Update' ? ` using ${apiVersion}` : ''
  return `${JSON.stringify(manager)}${part}${version}`
}
