import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'convert/parse-any.ts parseAnyVersionValue': 'parseAnyVersion without the text',
    'parse/parse.ts parseConfigValue': 'parseConfig without the text',
    'spec2/parse.ts parseSpec2': 'part of parseAnyVersion',
  },
})
