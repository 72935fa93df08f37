import { isObject } from '@machinist/core/encoding/json'
import type { HostFiles } from '../../host.ts'
import { parentOf } from '../../paths.ts'

/** The pull secret that the trust lane merges, otherwise the kubelet's pull secret. */
const mergedPullSecret = '/etc/mco/internal-registry-pull-secret.json'
const kubeletPullSecret = '/var/lib/kubelet/config.json'

/**
 * Links the node's pull secret to the path from which the OS tools read credentials. Without a pull secret it does nothing;
 * a file of an administrator stays.
 */
export async function linkRegistryAuth(files: HostFiles, path: string): Promise<void> {
  const target = await findRegistryAuth(files)
  if (target === undefined) return
  const entry = await files.stat(path)
  if (entry && (entry.type !== 'symlink' || entry.target === target)) return
  await files.makeDirectory(parentOf(path), { mode: 0o755, uid: 0, gid: 0 })
  await files.link(path, target)
}

async function findRegistryAuth(files: HostFiles): Promise<string | undefined> {
  if (await isAuthFile(files, mergedPullSecret)) return mergedPullSecret
  return (await files.stat(kubeletPullSecret)) === undefined ? undefined : kubeletPullSecret
}

/** A truncated file must not block an OS update. */
async function isAuthFile(files: HostFiles, path: string): Promise<boolean> {
  if ((await files.stat(path))?.type !== 'file') return false
  try {
    return isObject(JSON.parse(Buffer.from(await files.read(path)).toString()))
  } catch {
    return false
  }
}
