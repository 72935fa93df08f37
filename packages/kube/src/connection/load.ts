import { delimiter, join } from 'node:path'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Files } from '@machinist/core/files'
import { readIfThere } from '@machinist/core/files'
import { inClusterTarget } from './in-cluster.ts'
import type { KubeconfigFile } from './kubeconfig.ts'
import { targetIn } from './kubeconfig.ts'
import type { Target } from './target.ts'

export interface LoadOptions {
  /** A kubeconfig that was named outright. */
  readonly kubeconfig?: string
  readonly context?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string | undefined
  readonly files: Files
}

/** Looks where to connect as often as it is called; files that are as they were are read, but not understood anew. */
export function targetLoader(options: LoadOptions): () => Promise<Target> {
  let last: { readonly target: Target; readonly read: ReadonlyMap<string, string> } | undefined
  return async () => {
    if (last && (await isUnchanged(options.files, last.read))) return last.target
    const read = new Map<string, string>()
    const files: Files = {
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

/** Looks where to connect: the named file, KUBECONFIG, the pod's service account, ~/.kube/config; the first that is there. */
export async function loadTarget(options: LoadOptions): Promise<Target> {
  const { kubeconfig, context, env, home, files } = options
  if (kubeconfig) return await targetIn(await present(files, [kubeconfig]), context)
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  if (listed.length > 0) return await targetIn(await present(files, listed), context)
  const inCluster = await inClusterTarget({
    host: env['KUBERNETES_SERVICE_HOST'],
    port: env['KUBERNETES_SERVICE_PORT'],
    files,
  })
  if (inCluster && context === undefined) return inCluster
  const usual = home ? await readable(files, join(home, '.kube', 'config')) : undefined
  if (usual) return await targetIn([usual], context)
  throw new InvalidInput(
    'no cluster to talk to: name a kubeconfig, set KUBECONFIG, or put one at ~/.kube/config',
  )
}

async function isUnchanged(files: Files, read: ReadonlyMap<string, string>): Promise<boolean> {
  for (const [path, text] of read) {
    if ((await readIfThere(files, path)) !== text) return false
  }
  return true
}

/** A file missing from a list is passed over, as kubectl does; but one must be there. */
async function present(files: Files, paths: readonly string[]): Promise<KubeconfigFile[]> {
  const found = await Promise.all(paths.map((path) => readable(files, path)))
  const there = found.filter((file) => file !== undefined)
  if (there.length > 0) return there
  throw new InvalidInput(`there is no kubeconfig at ${paths.join(' or ')}: check the path`)
}

async function readable(files: Files, path: string): Promise<KubeconfigFile | undefined> {
  try {
    const text = await readIfThere(files, path)
    return text === undefined ? undefined : { path, text }
  } catch (error) {
    throw new InvalidInput(`cannot read the kubeconfig ${path}: ${messageOf(error)}`)
  }
}
