import type { TokenRow } from '../../../views/provisioning/token-rows.ts'
import { escapeControls } from '../../text/style.ts'

const headings = ['NAME', 'POOL', 'STATE', 'ISSUED', 'EXPIRES', 'DETAILS'] as const

/** A table with one line per token. */
export function tokenTable(rows: readonly TokenRow[]): string {
  const lines = [
    headings,
    ...rows.map((row) => [
      row.name,
      row.pool || '-',
      row.state,
      row.issuedAt ?? '-',
      row.expiresAt ?? 'never',
      detailsOf(row) || '-',
    ]),
  ].map((cells) => cells.map(escapeControls))
  const widths = headings.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function detailsOf(row: TokenRow): string {
  const { isManaged, isSingleUse, previousValidUntil, cidrs, usedBy, usedAt, problem } = row
  return [
    isManaged && 'rotated by the operator',
    previousValidUntil !== undefined && `previous token valid until ${previousValidUntil}`,
    isSingleUse && 'single use',
    cidrs !== undefined && `from ${cidrs}`,
    usedBy !== undefined && `used by ${usedBy || 'unknown'} at ${usedAt ?? 'an unknown time'}`,
    problem,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}
