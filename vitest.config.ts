import { defineConfig } from 'vitest/config'

/** `make test` runs everything but the suites that want a real kube-apiserver or systemd; those have projects of their own. */
export default defineConfig({
  test: {
    pool: 'forks',
    reporters: ['default'],
    projects: [
      './test/conformance/vitest.config.ts',
      './test/daemon/linux/vitest.config.ts',
      {
        test: {
          name: 'test',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', '**/*.host.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          // A guard against hanging, not a measure: a busy machine may take its time.
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
