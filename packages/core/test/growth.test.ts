import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'bytes.ts decodeBase64': 'isBase64, then the native decoder',
    'der.ts readMembers': 'readElements, then a comparison of tags',
    'der.ts readOnly': 'part of readElements',
    'pkcs10.ts readExtensions': 'part of readPkcs10',
  },
})
