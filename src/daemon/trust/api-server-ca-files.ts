import { nodePaths } from '../../api/node-paths.ts'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle, sameBundle } from '@machinist/pki/bundle'
import { HostFailure } from '../host/host-failure.ts'
import type { HostFiles } from '../host/host.ts'
import { caIn, withCA } from './kubeconfig-ca.ts'

/** The kubelet's own comes last: what it holds is what the kubelet is going to trust. */
export const kubeconfigPaths = [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig] as const

export type KubeconfigPath = (typeof kubeconfigPaths)[number]

/** A kubeconfig, as far as its CAs are concerned. */
export type FoundKubeconfig =
  | { readonly path: KubeconfigPath; readonly is: 'inline'; readonly bundle: Bundle }
  /** It has no place for CAs, and that is in order. */
  | { readonly path: KubeconfigPath; readonly is: 'inapplicable'; readonly why: string }
  | { readonly path: KubeconfigPath; readonly is: 'bad'; readonly problem: string }

const mostBytes = 4 * 1024 * 1024
const usualMode = 0o600

/** What is bad is told, so that the other one is brought up to date all the same. */
export async function lookAtKubeconfig(
  files: HostFiles,
  path: KubeconfigPath,
): Promise<FoundKubeconfig> {
  try {
    const text = await textAt(files, path)
    if (text === undefined) return { path, is: 'inapplicable', why: `${path} is no file` }
    const ca = caIn(text, path)
    if (ca.is === 'elsewhere') return { path, is: 'inapplicable', why: `${path} ${ca.why}` }
    return { path, is: 'inline', bundle: readBundle(ca.pem).bundle }
  } catch (error) {
    return { path, is: 'bad', problem: messageOf(error) }
  }
}

/** Puts other CAs into a kubeconfig and makes sure that they are there. Whose it is and who may read it stays. */
export async function putCA(files: HostFiles, path: KubeconfigPath, pem: string): Promise<void> {
  const [entry, text] = [await files.look(path), await textAt(files, path)]
  if (entry?.type !== 'file' || text === undefined) {
    throw new HostFailure(`${path} went away while it was being changed`, 'ENOENT')
  }
  const { mode, uid, gid } = entry
  const content = Buffer.from(withCA(text, path, pem))
  await files.write(path, { content, mode: mode || usualMode, uid, gid })
  const found = await lookAtKubeconfig(files, path)
  if (found.is === 'inline' && sameBundle(found.bundle, readBundle(pem).bundle)) return
  throw new HostFailure(`${path} is not what was written there a moment ago`, 'EIO')
}

/** Undefined where there is no file; a link is not followed: nobody keeps kubeconfigs behind one. */
async function textAt(files: HostFiles, path: string): Promise<string | undefined> {
  if ((await files.look(path))?.type !== 'file') return undefined
  const content = await files.read(path, mostBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new InvalidInput(`${path} is not a text`)
  }
}
