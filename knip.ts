import type { KnipConfig } from 'knip'

/** In production mode tests do not count as users: code that only tests use is dead. */
const isProduction = process.argv.includes('--production')

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'src/cli/{main,main-cluster,main-daemon}.ts!',
        'src/api/*.ts',
        'scripts/*.ts',
        'bench/*.bench.ts',
        'test/integration/controllers/*/corpus/record.ts',
        'test/hosts/{vitest.config,host-tools.global,reboots-once,rpm-ostree-program,join/kubelet-stand-in}.ts',
        'test/vm/{vitest.config,vm-tools.global}.ts',
        'test/images/{vitest.config,images.global}.ts',
      ],
      project: [
        'src/**/*.ts!',
        '!src/**/*.{test,fixture}.ts!',
        'test/**/*.ts',
        'scripts/**/*.ts',
        'bench/**/*.ts',
      ],
    },
    'packages/*': {
      entry: ['{src,test}/**/*.test.ts'],
      project: ['**/*.ts'],
      includeEntryExports: true,
    },
    'packages/apiserver': {
      entry: [
        '{src,test,conformance}/**/*.test.ts',
        'test/*/record.ts',
        'conformance/{vitest.config,targets.global}.ts',
        'conformance/**/*.conformance.ts',
      ],
      project: ['**/*.ts'],
      includeEntryExports: true,
    },
    'packages/ignition': {
      entry: ['{src,test}/**/*.test.ts', 'test/corpus/record.ts'],
      project: ['**/*.ts'],
      includeEntryExports: true,
    },
    'packages/testing': {
      entry: ['{src,test}/**/*.test.ts', 'src/{property-seed,clusters/real-cluster.global}.ts'],
      project: ['**/*.ts'],
      includeEntryExports: true,
    },
  },
  exclude: ['types'],
  ignoreDependencies: ['oxlint', 'oxlint-tsgolint'],
  ignoreBinaries: [
    'buildah',
    'chroot',
    'kubectl',
    'mke2fs',
    'mkfifo',
    'mount',
    'nsenter',
    'openssl',
    'systemd-notify',
    'umount',
  ],
  ignoreIssues: {
    'packages/{apiserver/conformance/{targets.global,vitest.config},testing/src/clusters/real-cluster.global}.ts':
      ['exports'],
    ...(isProduction && {
      // Libraries: their API is also for other programs.
      'packages/**': ['exports', 'files', 'dependencies'],
      // The hosts of simulated clusters.
      'src/daemon/host/memory/*.ts': ['files'],
      // Scripts generate CRDs and reference pages with these.
      'src/api/definitions/{crds,reference}.ts': ['exports', 'files'],
      // The explanations of `machinist why`, which is planned.
      'src/fleet/rollout/{explain,checks}.ts': ['exports', 'files'],
      // Ignition on the machines that join a trial cluster, which is planned.
      'src/devcluster/ignition/*.ts': ['exports', 'files'],
      // Names that documentation and tests list.
      'src/controllers/template/liquid/liquid.ts': ['exports'],
      'src/daemon/follow/**/decide.ts': ['exports'],
    }),
  },
  ...(isProduction && { ignoreExportsUsedInFile: true }),
}

export default config
