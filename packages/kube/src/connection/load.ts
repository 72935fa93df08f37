import { delimiter, join } from 'node:path'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { FileReader } from '@machinist/core/files'
import { readFileIfExists } from '@machinist/core/files'
import { inClusterTarget } from './in-cluster.ts'
import type { KubeconfigFile } from './kubeconfig.ts'
import { targetFromKubeconfig } from './kubeconfig.ts'
import type { Target } from './target.ts'

export interface LoadOptions {
  /** An explicit kubeconfig path. */
  readonly kubeconfig?: string
  readonly context?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string | undefined
  readonly files: FileReader
}

/** Returns a function that loads the target. Files are read on every call and parsed only if their content has changed. */
export function targetLoader(options: LoadOptions): () => Promise<Target> {
  let last: { readonly target: Target; readonly read: ReadonlyMap<string, string> } | undefined
  return async () => {
    if (last && (await isUnchanged(options.files, last.read))) return last.target
    const read = new Map<string, string>()
    const files: FileReader = {
      async read(path) {
        const text = await options.files.read(path)
        read.set(path, text)
        return text
      },
    }
    const target = await loadTarget({ ...options, files })
    last = { target, read }
    return target
  }
}

/** Loads the target from the first existing source: explicit file, KUBECONFIG, service account of the pod, ~/.kube/config. */
export async function loadTarget(options: LoadOptions): Promise<Target> {
  const { kubeconfig, context, env, home, files } = options
  if (kubeconfig)
    return await targetFromKubeconfig(await readExisting(files, [kubeconfig]), context)
  const envPaths = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  if (envPaths.length > 0)
    return await targetFromKubeconfig(await readExisting(files, envPaths), context)
  const inCluster = await inClusterTarget({
    host: env['KUBERNETES_SERVICE_HOST'],
    port: env['KUBERNETES_SERVICE_PORT'],
    files,
  })
  if (inCluster && context === undefined) return inCluster
  const defaultFile = home ? await readKubeconfig(files, join(home, '.kube', 'config')) : undefined
  if (defaultFile) return await targetFromKubeconfig([defaultFile], context)
  throw new InvalidInput(
    'no cluster configured: use --kubeconfig, set KUBECONFIG, or create ~/.kube/config',
  )
}

async function isUnchanged(files: FileReader, read: ReadonlyMap<string, string>): Promise<boolean> {
  for (const [path, text] of read) {
    if ((await readFileIfExists(files, path)) !== text) return false
  }
  return true
}

/** As in kubectl, missing files of the list are skipped, but at least one must exist. */
async function readExisting(
  files: FileReader,
  paths: readonly string[],
): Promise<KubeconfigFile[]> {
  const found = await Promise.all(paths.map((path) => readKubeconfig(files, path)))
  const existing = found.filter((file) => file !== undefined)
  if (existing.length > 0) return existing
  throw new InvalidInput(`kubeconfig not found at ${paths.join(' or ')}: check the path`)
}

async function readKubeconfig(
  files: FileReader,
  path: string,
): Promise<KubeconfigFile | undefined> {
  try {
    const text = await readFileIfExists(files, path)
    return text === undefined ? undefined : { path, text }
  } catch (error) {
    throw new InvalidInput(`cannot read the kubeconfig ${path}: ${messageOf(error)}`)
  }
}
