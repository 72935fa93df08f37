import { defineConfig } from 'vitest/config'
import { plainNode } from '@machinist/testing/plain-node'

// A guard against hanging, not a measure: a busy machine may take its time.
const patience = { testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * What wants a process of its own: it looks at the memory or the descriptors of one, or is so long that it is quicker where
 * nothing else has been. Begun first, as projects are run by name.
 */
const alone = [
  'test/simulation/**/*.test.ts',
  'packages/apiserver/test/hostile/{descriptors,memory}.test.ts',
  'test/integration/daemon/cluster/memory-growth.test.ts',
  'packages/kube/test/memory.test.ts',
  'test/integration/server/memory.test.ts',
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
      './packages/apiserver/conformance/vitest.config.ts',
      './test/hosts/vitest.config.ts',
      './test/vm/vitest.config.ts',
      {
        test: {
          name: 'units',
          experimental: plainNode,
          include: ['{src,packages/*/src,scripts}/**/*.test.ts'],
          exclude: ['**/*.real.test.ts'],
          setupFiles: ['packages/testing/src/property-seed.ts'],
          // Hundreds of small files: a process for each would take longer than the tests.
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'test',
          experimental: plainNode,
          include: ['{test,packages/*/test,packages/*/conformance}/**/*.test.ts'],
          exclude: [
            '**/*.real.test.ts',
            '**/*.host.test.ts',
            '**/*.vm.test.ts',
            '**/*.e2e.test.ts',
            ...alone,
          ],
          setupFiles: ['packages/testing/src/property-seed.ts'],
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
          setupFiles: ['packages/testing/src/property-seed.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'e2e',
          experimental: plainNode,
          include: ['{test,packages/*/test}/**/*.e2e.test.ts'],
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
          include: ['{src,test,packages}/**/*.real.test.ts'],
          globalSetup: ['packages/testing/src/clusters/real-cluster.global.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
