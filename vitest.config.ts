import { defineConfig } from 'vitest/config'
import { plainNode } from './test/support/plain-node.ts'

// A guard against hanging, not a measure: a busy machine may take its time.
const patience = { testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * What wants a process of its own: it looks at the memory or the descriptors of one, or is so long that it is quicker where
 * nothing else has been. Begun first, as projects are run by name.
 */
const alone = [
  'test/simulation/**/*.test.ts',
  'test/apiserver/hostile/{descriptors,memory}.test.ts',
  'test/daemon/cluster/memory-growth.test.ts',
  'test/kube/memory.test.ts',
]

/**
 * `make test` runs `alone`, `test` and `units`: everything but the suites that want a real kube-apiserver, systemd or
 * kernel, or take long; those have projects of their own.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    reporters: ['default'],
    projects: [
      './test/conformance/vitest.config.ts',
      './test/daemon/linux/vitest.config.ts',
      './test/daemon/vm/vitest.config.ts',
      {
        test: {
          name: 'units',
          experimental: plainNode,
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.real.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          // Hundreds of small files: a process for each would take longer than the tests.
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'test',
          experimental: plainNode,
          include: ['test/**/*.test.ts'],
          exclude: [
            '**/*.real.test.ts',
            '**/*.host.test.ts',
            '**/*.vm.test.ts',
            '**/*.e2e.test.ts',
            ...alone,
          ],
          setupFiles: ['test/support/property-seed.ts'],
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'alone',
          experimental: plainNode,
          include: alone,
          exclude: ['**/*.real.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'e2e',
          experimental: plainNode,
          include: ['test/**/*.e2e.test.ts'],
          // Each is a whole cluster, or a process that is killed again and again.
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'kubernetes',
          experimental: plainNode,
          include: ['src/**/*.real.test.ts', 'test/**/*.real.test.ts'],
          globalSetup: ['test/support/real-cluster.global.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
