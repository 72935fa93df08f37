import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '@machinist/testing/plain-node'

/** `scripts/host-tests.sh`, or `vitest run --config test/hosts/vitest.config.ts`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    name: 'hosts',
    experimental: plainNode,
    include: ['test/hosts/**/*.host.test.ts'],
    // Run by hand: they have their own CA, but the operator issues the certificate of the server.
    exclude: ['test/hosts/join/**'],
    globalSetup: ['test/hosts/host-tools.global.ts'],
    pool: 'forks',
    // One machine at a time: a busy system boots them slowly.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
