import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '../support/plain-node.ts'

/** `vitest run --config test/conformance/vitest.config.ts`; CONFORMANCE=real or embedded takes one target only. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    name: 'conformance',
    experimental: plainNode,
    include: ['test/conformance/**/*.conformance.ts'],
    globalSetup: ['test/conformance/targets.global.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
