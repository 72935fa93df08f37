import { copyFile, cp } from 'node:fs/promises'
import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { build } from 'esbuild'

interface Program {
  readonly entry: string
  /** Directories to copy. */
  readonly data: readonly string[]
  /** Packages that `createRequire` loads at run time: esbuild only follows imports. */
  readonly requiredLater: readonly string[]
}

/** The whole command line, and the parts in the images: the cluster components, and the daemon. */
const programs = {
  whole: {
    entry: 'src/cli/main.ts',
    data: ['templates', 'examples'],
    requiredLater: ['re2js'],
  },
  cluster: { entry: 'src/cli/main-cluster.ts', data: ['templates'], requiredLater: [] },
  daemon: { entry: 'src/cli/main-daemon.ts', data: [], requiredLater: [] },
} satisfies Record<string, Program>

/** Bundles a program with everything but Node into a directory; `machinist` starts it. */
export async function bundle(
  directory: string,
  name: keyof typeof programs = 'whole',
): Promise<void> {
  const { entry, data, requiredLater }: Program = programs[name]
  await build({
    // The names of chunks derive from paths, which must not depend on the working directory.
    absWorkingDir: root('.'),
    entryPoints: [root(entry)],
    outdir: resolve(directory),
    outExtension: { '.js': '.mjs' },
    entryNames: 'machinist',
    bundle: true,
    // Each command loads its own chunk.
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
 * Loads built-in modules of Node on first use. An import would load them immediately and trigger their lazy getters, which costs
 * 2 MB on every node.
 */
const builtinsWhenUsed: Plugin = {
  name: 'builtins-when-used',
  setup(builder) {
    builder.onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined
      const name = path.startsWith('node:') ? path : `node:${path}`
      return { path: name, namespace: kind === 'require-call' ? 'required' : 'imported' }
    })
    builder.onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
    builder.onLoad({ filter: /^/, namespace: 'imported' }, ({ path }) => ({
      contents: path === 'node:process' ? 'export default process' : whenUsed(path),
    }))
  },
}

/** A prototype, because esbuild copies the own members of a module, which would trigger each getter. */
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
