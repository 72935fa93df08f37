import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { growthCases } from './growth-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../src'),
  cases: growthCases,
  exempt: {
    'client/representation.ts parsePage': 'checks a parsed list',
    'connection/kubeconfig-exec.ts parseExec': 'measured with targetFromKubeconfig',
    'transport/exchange.ts readBody': 'reads a response',
    'transport/exchange.ts readChunks': 'reads a response',
    'transport/transport.ts parseJsonBody': 'uses JSON.parse',
  },
})
