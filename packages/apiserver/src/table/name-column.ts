import { isObject } from '@machinist/core/encoding/json'
import type { Column } from '../kinds/served-kind.ts'

/** The NAME column. It comes first, unless a built-in kind places it elsewhere. */
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
