import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { plainNode } from '@machinist/testing/plain-node'

/** `scripts/image-tests.sh`, or `vitest run --config test/images/vitest.config.ts`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    name: 'images',
    experimental: plainNode,
    include: ['test/images/**/*.host.test.ts'],
    globalSetup: ['test/images/images.global.ts', 'test/hosts/host-tools.global.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
