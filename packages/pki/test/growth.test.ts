import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'certificate-request.ts readRequest': 'readPem and readPkcs10',
    'keys.ts readKey': 'keys are read by OpenSSL',
  },
})
