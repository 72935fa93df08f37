import { checkHash, inlineContent } from '@machinist/ignition/content'
import type {
  Config,
  Directory,
  File,
  Link,
  Node,
  Owner,
  Resource,
} from '@machinist/ignition/spec/config'
import type { Host, HostFiles, Ownership } from '../../daemon/host/host.ts'
import { childOf } from '../../daemon/host/paths.ts'
import { makeDirectoriesAbove } from '../../daemon/trust/items/trust-file.ts'

export type EntryHost = Pick<Host, 'files' | 'accounts'>

const root = { uid: 0, gid: 0 }
const fileMode = 0o644
const directoryMode = 0o755

/** Creates the directories, files and links of a config: shallow paths first, hard links last. */
export async function createEntries(host: EntryHost, { storage = {} }: Config): Promise<void> {
  const { directories = [], files = [], links = [] } = storage
  const [hard, symbolic] = [links.filter((link) => link.hard), links.filter((link) => !link.hard)]
  const entry = <T extends Node>(node: T, create: (host: EntryHost, node: T) => Promise<void>) => ({
    node,
    create: () => create(host, node),
  })
  const sorted = [
    ...directories.map((each) => entry(each, createDirectory)),
    ...files.map((each) => entry(each, createFile)),
    ...symbolic.map((each) => entry(each, createSymbolicLink)),
  ].sort((a, b) => depthOf(a.node) - depthOf(b.node))
  for (const { node, create } of [...sorted, ...hard.map((each) => entry(each, createHardLink))]) {
    if (node.overwrite) await removeTree(host.files, node.path)
    await create()
  }
}

const depthOf = ({ path }: Node): number => path.split('/').length

async function createFile(host: EntryHost, file: File): Promise<void> {
  const { path, contents = {}, append = [], mode } = file
  const { files } = host
  const found = await files.stat(path)
  if (found && found.type !== 'file') throw existing('file', file)
  if (found && contents.source !== undefined) throw existing('file', file)
  if (!found) await writeFile(files, path, bytesOf(contents, path))
  for (const more of append) await files.append(path, bytesOf(more, path))
  await setPermissions(host, file, mode)
}

/** Creates or replaces a file with the default permissions, and the directories above it. */
export async function writeFile(
  files: HostFiles,
  path: string,
  content: Uint8Array,
): Promise<void> {
  await makeDirectoriesAbove(files, path)
  await files.write(path, { content, mode: fileMode, ...root })
}

function bytesOf(resource: Resource, path: string): Uint8Array {
  const bytes = inlineContent(resource)
  if (checkHash(resource, bytes) === 'differs') {
    throw new Error(`Ignition: the content of ${path} does not match its hash`)
  }
  return bytes
}

async function createDirectory(host: EntryHost, directory: Directory): Promise<void> {
  const { files } = host
  const { path, mode } = directory
  const found = await files.stat(path)
  if (found && found.type !== 'directory') throw existing('directory', directory)
  if (!found) {
    await makeDirectoriesAbove(files, path)
    await files.makeDirectory(path, { mode: directoryMode, ...root })
  }
  await setPermissions(host, directory, mode)
}

/** Without owners: the links of a simulated machine belong to root. */
async function createSymbolicLink({ files }: EntryHost, link: Link): Promise<void> {
  const { path, target = '' } = link
  const found = await files.stat(path)
  if (found?.type === 'symlink' && found.target === target) return
  if (found) throw existing('link', link)
  await makeDirectoriesAbove(files, path)
  await files.link(path, target)
}

/** A copy, because a simulated machine has no hard links. */
async function createHardLink({ files }: EntryHost, link: Link): Promise<void> {
  const { path, target = '' } = link
  const source = await files.stat(target)
  if (source?.type !== 'file') throw new Error(`Ignition: ${path} is a hard link to ${target}`)
  if (await files.stat(path)) throw existing('link', link)
  await makeDirectoriesAbove(files, path)
  const { mode, uid, gid } = source
  await files.write(path, { content: await files.read(target), mode, uid, gid })
}

const existing = (kind: string, { path }: Node): Error =>
  new Error(`Ignition: cannot create ${kind} ${path}: the path exists, and overwrite is false`)

/** Without a mode or owner in the config, those on disk stay. */
async function setPermissions(host: EntryHost, node: Node, mode?: number): Promise<void> {
  const found = await host.files.stat(node.path)
  if (found?.type !== 'file' && found?.type !== 'directory') return
  const owner = await ownerOf(host, node, found)
  await host.files.change(node.path, { mode: mode ?? found.mode, ...owner })
}

async function ownerOf(
  { accounts }: EntryHost,
  { path, user, group }: Node,
  found: Ownership,
): Promise<Ownership> {
  const uid = await idOf(user, found.uid, path, async (name) => (await accounts.user(name))?.uid)
  const gid = await idOf(group, found.gid, path, (name) => accounts.group(name))
  return { uid, gid }
}

async function idOf(
  owner: Owner | undefined,
  found: number,
  path: string,
  lookup: (name: string) => Promise<number | undefined>,
): Promise<number> {
  if (owner?.id !== undefined) return owner.id
  if (!owner?.name) return found
  const id = await lookup(owner.name)
  if (id !== undefined) return id
  throw new Error(`Ignition: ${path} must belong to ${owner.name}, which does not exist`)
}

/** Removes whatever is at a path. */
export async function removeTree(files: HostFiles, path: string): Promise<void> {
  const found = await files.stat(path)
  if (found?.type !== 'directory') return files.remove(path)
  for (const name of await files.list(path)) await removeTree(files, childOf(path, name))
  await files.removeDirectory(path)
}
