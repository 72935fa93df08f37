import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'encoding/bytes.ts decodeBase64': 'isBase64, then the native decoder',
    'encoding/der.ts readMembers': 'readElements, then a comparison of tags',
    'encoding/der.ts readOnly': 'part of readElements',
    'files.ts readFileIfExists': 'reads a file',
    'encoding/pkcs10.ts readExtensions': 'part of readPkcs10',
  },
})
