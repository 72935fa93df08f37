import { isObject } from '@machinist/core/json'
import type { Column } from '../kinds/served-kind.ts'

/** The column that every kind has. It stands in front, unless a built-in kind puts it elsewhere. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. It is given when the object is created, or then made from generateName, and never changes.',
  priority: 0,
  cell: ({ metadata }) =>
    isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '',
}
