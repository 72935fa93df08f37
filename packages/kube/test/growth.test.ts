import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'connection/files.ts readIfThere': 'reads a file',
  },
})
