import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '../../support/plain-node.ts'

/** `scripts/host-tests.sh`, or `vitest run --config test/daemon/linux/vitest.config.ts`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../../..'),
    name: 'hosts',
    experimental: plainNode,
    include: ['test/daemon/linux/**/*.host.test.ts'],
    globalSetup: ['test/daemon/linux/host-tools.global.ts'],
    pool: 'forks',
    // One machine at a time: a busy one boots slowly.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
