import { isObject } from '@machinist/core/json'
import type { HostFiles } from '../../host.ts'
import { parentOf } from '../../paths.ts'

/** What the trust lane merges for this cluster; else what the kubelet pulls images with. */
const merged = '/etc/mco/internal-registry-pull-secret.json'
const kubelets = '/var/lib/kubelet/config.json'

/**
 * Lets the tools that fetch OS images log in to registries as the node does. Nothing to log in with is fine; and a file that
 * somebody has put there is theirs.
 */
export async function linkRegistryAuth(files: HostFiles, path: string): Promise<void> {
  const target = await usable(files)
  if (target === undefined) return
  const there = await files.look(path)
  if (there && (there.type !== 'symlink' || there.target === target)) return
  await files.makeDirectory(parentOf(path), { mode: 0o755, uid: 0, gid: 0 })
  await files.link(path, target)
}

async function usable(files: HostFiles): Promise<string | undefined> {
  if (await isAuth(files, merged)) return merged
  return (await files.look(kubelets)) === undefined ? undefined : kubelets
}

/** A file that is cut short must not keep a machine from its image. */
async function isAuth(files: HostFiles, path: string): Promise<boolean> {
  if ((await files.look(path))?.type !== 'file') return false
  try {
    return isObject(JSON.parse(Buffer.from(await files.read(path)).toString()))
  } catch {
    return false
  }
}
