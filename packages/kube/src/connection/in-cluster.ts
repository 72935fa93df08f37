import { join } from 'node:path'
import type { FileReader } from '@machinist/core/files'
import { readFileIfExists } from '@machinist/core/files'
import type { Target } from './target.ts'

export interface InCluster {
  /** KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT of the pod. */
  readonly host: string | undefined
  readonly port: string | undefined
  readonly files: FileReader
  readonly directory?: string
}

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The API server of the cluster; `undefined` outside a pod with a service account. */
export async function inClusterTarget(input: InCluster): Promise<Target | undefined> {
  const { host, port = '443', files, directory = serviceAccountDirectory } = input
  if (!host) return undefined
  const token = join(directory, 'token')
  if ((await readFileIfExists(files, token)) === undefined) return undefined
  const namespace = await readFileIfExists(files, join(directory, 'namespace'))
  return {
    origin: `the service account in ${directory}`,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace?.trim() || undefined,
    ca: { file: join(directory, 'ca.crt') },
    token: { file: token },
  }
}
