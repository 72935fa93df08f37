import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realFiles } from '@machinist/kube/connection/files'
import { targetFromKubeconfig } from '@machinist/kube/connection/kubeconfig'
import type { Target } from '@machinist/kube/connection/target'

/** The service account directory of a pod, and the address of the API. */
export interface Account {
  readonly directory: string
  readonly server: URL
}

/** A service account with the permissions of a kubeconfig's user. */
export async function accountOf(kubeconfig: string, directory: string): Promise<Account> {
  const text = await realFiles.read(kubeconfig)
  const target = await targetFromKubeconfig([{ path: kubeconfig, text }])
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
  await writeFile(join(directory, 'token'), textOf(target.token))
  await writeFile(join(directory, 'ca.crt'), textOf(target.ca))
  await writeFile(join(directory, 'namespace'), 'openshift-machine-config-operator')
  return { directory, server: new URL(target.server) }
}

const textOf = (source: Target['ca']): string =>
  source === undefined ? '' : 'text' in source ? source.text : readFileSync(source.file, 'utf8')

/** A field of /proc/<pid>/status: `VmRSS`, `CapEff`, … */
export function statusOf(pid: number, field: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? ''
}

export const megabytes = (pid: number): number =>
  Math.round(Number.parseInt(statusOf(pid, 'VmRSS'), 10) / 1024)
