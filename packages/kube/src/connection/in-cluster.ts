import { join } from 'node:path'
import type { Files } from '@machinist/core/files'
import { readIfThere } from '@machinist/core/files'
import type { Target } from './target.ts'

export interface InCluster {
  /** KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, as every pod is given. */
  readonly host: string | undefined
  readonly port: string | undefined
  readonly files: Files
  readonly directory?: string
}

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The API server as a pod sees it; `undefined` where this is no pod with a service account. */
export async function inClusterTarget(input: InCluster): Promise<Target | undefined> {
  const { host, port = '443', files, directory = serviceAccountDirectory } = input
  if (!host) return undefined
  const token = join(directory, 'token')
  if ((await readIfThere(files, token)) === undefined) return undefined
  const namespace = await readIfThere(files, join(directory, 'namespace'))
  return {
    origin: `the service account in ${directory}`,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace?.trim() || undefined,
    ca: { file: join(directory, 'ca.crt') },
    token: { file: token },
  }
}
