import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'http/messages/media-types.ts parseMediaType': 'part of parseAccept',
    'http/messages/request-body.ts readBody': 'joins the pieces of a body, 3 MiB at most',
    'patch/apply/managed-fields.ts readOwners': 'a loop around readFields',
    'protobuf/decode-message.ts decodeMessage': 'part of decodeProtobuf',
    'verbs/scale.ts readScale': 'reads a few members of an object',
    'watch/list.ts readList': 'reads the store',
  },
})
