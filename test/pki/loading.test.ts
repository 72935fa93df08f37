import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources } from '../boundaries/source.ts'

describe('code that only reads certificates', () => {
  it.each(['pki/bundle.ts', 'pki/chain.ts', 'pki/certificate.ts'])(
    'does not load what issues them: %s',
    (from) => {
      const sources = readSources(join(import.meta.dirname, '../../src'))
      const loads = new Map(sources.map((source) => [source.path, source.loads]))
      expect(loads.get('pki/issue.ts')).toContain('pki/x509-library.ts')
      const reached = new Set([from])
      for (const path of reached) for (const next of loads.get(path) ?? []) reached.add(next)
      expect([...reached]).toContain(from)
      expect([...reached].filter((path) => path.startsWith('@') || path.includes('x509'))).toEqual(
        [],
      )
    },
  )
})
