import { copyFile, cp } from 'node:fs/promises'
import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { build } from 'esbuild'

interface Program {
  readonly entry: string
  /** Directories that come along. */
  readonly data: readonly string[]
  /** What `createRequire` loads, when it comes to it: esbuild sees imports only. */
  readonly requiredLater: readonly string[]
}

/** The whole command line; and what the images hold of it: those who run once per cluster, and the daemon. */
const programs = {
  whole: {
    entry: 'src/cli/main.ts',
    data: ['templates', 'examples'],
    requiredLater: ['re2js'],
  },
  cluster: { entry: 'src/cli/main-cluster.ts', data: ['templates'], requiredLater: [] },
  daemon: { entry: 'src/cli/main-daemon.ts', data: [], requiredLater: [] },
} satisfies Record<string, Program>

/** Makes a program and all that it needs but Node, in a directory; `machinist` starts it. */
export async function bundle(
  directory: string,
  name: keyof typeof programs = 'whole',
): Promise<void> {
  const { entry, data, requiredLater }: Program = programs[name]
  await build({
    // Names of its parts come from paths: the same ones wherever we are called from.
    absWorkingDir: root('.'),
    entryPoints: [root(entry)],
    outdir: resolve(directory),
    outExtension: { '.js': '.mjs' },
    entryNames: 'machinist',
    bundle: true,
    // Each command loads its own part.
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    plugins: [builtinsWhenUsed],
    logLevel: 'error',
  })
  await Promise.all(requiredLater.map((name) => bundlePackage(name, directory)))
  await copyFile(root('bin/machinist'), join(directory, 'machinist'))
  for (const each of data) await cp(root(each), join(directory, each), { recursive: true })
}

async function bundlePackage(name: string, directory: string): Promise<void> {
  await build({
    entryPoints: [createRequire(import.meta.url).resolve(name)],
    outfile: join(directory, 'node_modules', name, 'index.js'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
}

const root = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * Loads Node's own modules when they are first used. An import loads them at once, with everything that they would only
 * load when somebody looks at it: on every node, 2 MB for nothing.
 */
const builtinsWhenUsed: Plugin = {
  name: 'builtins-when-used',
  setup(making) {
    making.onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined
      const name = path.startsWith('node:') ? path : `node:${path}`
      return { path: name, namespace: kind === 'require-call' ? 'required' : 'imported' }
    })
    making.onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
    making.onLoad({ filter: /^/, namespace: 'imported' }, ({ path }) => ({
      contents: path === 'node:process' ? 'export default process' : whenUsed(path),
    }))
  },
}

/** A prototype, because esbuild copies a module's own members, which would be a look at each. */
const whenUsed = (path: string): string =>
  `module.exports = Object.create(new Proxy({}, {
    get: (_, name) => process.getBuiltinModule('${path}')[name],
  }))`

if (import.meta.main) {
  const [directory, name = 'whole'] = process.argv.slice(2)
  if (directory === undefined || !Object.hasOwn(programs, name)) {
    throw new Error(`usage: bundle.ts DIRECTORY [${Object.keys(programs).join('|')}]`)
  }
  await bundle(directory, name as keyof typeof programs)
}
