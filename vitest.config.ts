import { defineConfig } from 'vitest/config'

// A guard against hanging, not a measure: a busy machine may take its time.
const patience = { testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * `make test` runs `units` and `test`: everything but the suites that want a real kube-apiserver, systemd or kernel, or take
 * long; those have projects of their own.
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
          include: ['test/**/*.test.ts'],
          exclude: [
            '**/*.real.test.ts',
            '**/*.host.test.ts',
            '**/*.vm.test.ts',
            '**/*.e2e.test.ts',
          ],
          setupFiles: ['test/support/property-seed.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'e2e',
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
          include: ['src/**/*.real.test.ts', 'test/**/*.real.test.ts'],
          globalSetup: ['test/support/real-cluster.global.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
