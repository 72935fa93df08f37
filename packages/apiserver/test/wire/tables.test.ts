import { describe, expect, it } from 'vitest'
import type { ServedKind } from '../../src/kinds/served-kind.ts'
import type { PrinterColumn } from '../../src/table/custom-columns.ts'
import { customColumns } from '../../src/table/custom-columns.ts'
import { tableOf } from '../../src/table/table.ts'
import { recordedTables } from './recorded.ts'
import { builtInKind, customKind } from './served.ts'

const recorded = recordedTables()

describe('tables of a real kube-apiserver', () => {
  const gadgets = recorded.find(({ kind }) => kind === 'CustomResourceDefinition')!.items[0] as {
    spec: { versions: { additionalPrinterColumns: PrinterColumn[] }[] }
  }
  const printed = customColumns(gadgets.spec.versions[0]!.additionalPrinterColumns)

  const kindOf = (apiVersion: string, kind: string): ServedKind =>
    kind === 'Gadget' ? customKind(apiVersion, kind, printed) : builtInKind(apiVersion, kind)

  it.each(recorded.map((one) => [one.path, one] as const))(
    '%s',
    (_path, { apiVersion, kind, now, items, table }) => {
      const objects = items.map((item) => ({ ...item, apiVersion, kind }))
      const made = tableOf(kindOf(apiVersion, kind), objects, { now })
      expect(made.rows).toEqual(table.rows)
      // Descriptions were not recorded.
      expect(made.columnDefinitions).toEqual(
        table.columnDefinitions.map((column) =>
          Object.assign({ description: expect.any(String) as string }, column),
        ),
      )
    },
  )
})
