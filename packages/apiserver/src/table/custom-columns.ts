import type { Column } from '../kinds/served-kind.ts'

/** One entry of a CRD's `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly jsonPath: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

/** The columns of a CRD version; default: its age. */
export function customColumns(columns: readonly PrinterColumn[] = []): readonly Column[] {
  return columns.length === 0 ? [age] : columns.map(columnOf)
}

function columnOf({ jsonPath, type, priority = 0, ...rest }: PrinterColumn): Column {
  return { ...rest, type: type as Column['type'], priority, cell: jsonPath }
}

const age: Column = {
  name: 'Age',
  type: 'date',
  priority: 0,
  cell: '.metadata.creationTimestamp',
}
