import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle, sameBundle } from '@machinist/pki/bundle'
import { nodePaths } from '../../../api/node-paths.ts'
import { HostFailure } from '../../host/host-failure.ts'
import type { HostFiles } from '../../host/host.ts'
import { caIn, withCA } from './kubeconfig-ca.ts'

/** The kubelet's own kubeconfig comes last: the kubelet loads its CAs from it. */
export const kubeconfigPaths = [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig] as const

export type KubeconfigPath = (typeof kubeconfigPaths)[number]

/** The CAs of a kubeconfig. */
export type ObservedKubeconfig =
  | { readonly path: KubeconfigPath; readonly type: 'inline'; readonly bundle: Bundle }
  /** It contains no inline CAs, which is valid. */
  | { readonly path: KubeconfigPath; readonly type: 'inapplicable'; readonly why: string }
  | { readonly path: KubeconfigPath; readonly type: 'bad'; readonly problem: string }

const mostBytes = 4 * 1024 * 1024
const usualMode = 0o600

/** Returns a problem instead of throwing it, so that the other kubeconfig is still updated. */
export async function observeKubeconfig(
  files: HostFiles,
  path: KubeconfigPath,
): Promise<ObservedKubeconfig> {
  try {
    const text = await textAt(files, path)
    if (text === undefined) return { path, type: 'inapplicable', why: `${path} is not a file` }
    const ca = caIn(text, path)
    if (ca.type === 'elsewhere') return { path, type: 'inapplicable', why: `${path} ${ca.why}` }
    return { path, type: 'inline', bundle: readBundle(ca.pem).bundle }
  } catch (error) {
    return { path, type: 'bad', problem: messageOf(error) }
  }
}

/** Replaces the CAs of a kubeconfig and reads them back. Owner and mode stay. */
export async function writeCA(files: HostFiles, path: KubeconfigPath, pem: string): Promise<void> {
  const [entry, text] = [await files.stat(path), await textAt(files, path)]
  if (entry?.type !== 'file' || text === undefined) {
    throw new HostFailure(`${path} disappeared while it was being changed`, 'ENOENT')
  }
  const { mode, uid, gid } = entry
  const content = Buffer.from(withCA(text, path, pem))
  await files.write(path, { content, mode: mode || usualMode, uid, gid })
  const found = await observeKubeconfig(files, path)
  if (found.type === 'inline' && sameBundle(found.bundle, readBundle(pem).bundle)) return
  throw new HostFailure(`${path} differs from the content that was just written`, 'EIO')
}

/** Undefined if there is no regular file. Symbolic links are not followed. */
async function textAt(files: HostFiles, path: string): Promise<string | undefined> {
  if ((await files.stat(path))?.type !== 'file') return undefined
  const content = await files.read(path, mostBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new InvalidInput(`${path} is not valid UTF-8`)
  }
}
