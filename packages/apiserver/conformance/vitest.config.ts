import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '@machinist/testing/plain-node'

/**
 * `vitest run --config packages/apiserver/conformance/vitest.config.ts`; CONFORMANCE=real or embedded selects one
 * server.
 */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../../..'),
    name: 'conformance',
    experimental: plainNode,
    include: ['packages/apiserver/conformance/**/*.conformance.ts'],
    globalSetup: ['packages/apiserver/conformance/targets.global.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
