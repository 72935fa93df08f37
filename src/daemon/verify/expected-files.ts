import { dropinPath, unitPath } from '../../api/node-paths.ts'
import { sha256Hex } from '@machinist/core/digest'
import { messageOf } from '@machinist/core/errors'
import type { Config } from '@machinist/ignition/config'
import { inlineContent } from '@machinist/ignition/content'
import type { ReadConfig } from '../../planner/read-config.ts'
import { dropinsOf, unitsOf } from '../../planner/units.ts'
import { ownerOf } from '../apply/file-owner.ts'
import type { Entry, Host } from '../host/host.ts'
import type { Difference } from './difference.ts'
import { keysText } from './keys-text.ts'

export interface Expected {
  readonly kind: Difference['kind']
  readonly path: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** sha256, in hex. */
  readonly digest: string
  /** Of a file; there again whenever it is asked for, so that nobody has to hold it. */
  readonly content?: () => Uint8Array
}

/** Where the keys of a user are, below the .ssh directory. */
export interface KeysPlace {
  readonly user: string
  readonly path: string
}

/** Every file that a config puts on a machine; or why it cannot be said how one should be. */
export async function* expectedFiles(
  host: Host,
  { ignition }: ReadConfig,
  keys?: KeysPlace,
): AsyncGenerator<Expected | Difference> {
  for (const file of ignition.storage?.files ?? []) {
    const { path, mode = 0o644, contents } = file
    try {
      const owner = await ownerOf(host.accounts, file)
      const content = (): Uint8Array => inlineContent(contents)
      yield { kind: 'file', path, mode, ...owner, digest: sha256Hex(content()), content }
    } catch (error) {
      yield { kind: 'file', at: path, what: `cannot be compared: ${messageOf(error)}` }
    }
  }
  const text = { mode: 0o644, uid: 0, gid: 0 }
  for (const [name, { contents }] of unitsOf(ignition)) {
    if (contents === undefined) continue
    yield { kind: 'unit', path: unitPath(name), ...text, digest: sha256Hex(contents) }
  }
  for (const { unit, dropin, contents } of dropinsOf(ignition).values()) {
    yield { kind: 'dropin', path: dropinPath(unit, dropin), ...text, digest: sha256Hex(contents) }
  }
  if (keys) yield* expectedKeys(host, ignition, keys)
}

async function* expectedKeys(
  { accounts, files }: Host,
  config: Config,
  { user, path }: KeysPlace,
): AsyncGenerator<Expected | Difference> {
  try {
    const account = await accounts.user(user)
    if (!account) return
    const { uid, gid, home } = account
    const at = `${home}/.ssh/${path}`
    const text = keysText(config)
    if (text === '') yield* leftKeys(await files.look(at), at)
    else yield { kind: 'sshKeys', path: at, mode: 0o600, uid, gid, digest: sha256Hex(text) }
  } catch (error) {
    yield { kind: 'sshKeys', at: user, what: `cannot be compared: ${messageOf(error)}` }
  }
}

/** Without keys there need not be a file; an empty one does no harm. */
function* leftKeys(entry: Entry | undefined, at: string): Iterable<Difference> {
  const none = entry === undefined || (entry.type === 'file' && entry.size === 0)
  if (!none) yield { kind: 'sshKeys', at, what: 'is there, expected no keys' }
}
