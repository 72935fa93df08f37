import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '@machinist/testing/plain-node'

/** `scripts/vm-test.sh`, or `vitest run --config test/vm/vitest.config.ts`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    name: 'vm',
    experimental: plainNode,
    include: ['test/vm/**/*.vm.test.ts'],
    globalSetup: ['test/vm/vm-tools.global.ts'],
    pool: 'forks',
    // One machine at a time: its processors are emulated.
    fileParallelism: false,
    // Each test continues from the one before.
    bail: 1,
    reporters: ['verbose'],
    testTimeout: 900_000,
    hookTimeout: 420_000,
  },
})
