import { sha256Hex } from '@machinist/core/encoding/digest'
import { messageOf } from '@machinist/core/errors'
import type { Config } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { ReadConfig } from '../../planner/differences/read-config.ts'
import { dropinsOf, unitsOf } from '../../planner/differences/units.ts'
import type { Entry, Host } from '../host/host.ts'
import { resolveFileOwner } from './file-owner.ts'
import type { Difference } from './difference.ts'
import { authorizedKeysText } from './ssh-keys.ts'

export interface ExpectedFile {
  readonly kind: Difference['kind']
  readonly path: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** sha256, in hex. */
  readonly digest: string
  /** The content of a file, decoded on each call to save memory. */
  readonly content?: () => Uint8Array
}

/** The authorized keys file of a user, relative to the .ssh directory. */
export interface SshKeysLocation {
  readonly user: string
  readonly path: string
}

/** Every file that a config writes to a machine, or the reason why its expected state is unknown. */
export async function* expectedFiles(
  host: Host,
  { ignition }: ReadConfig,
  keys?: SshKeysLocation,
): AsyncGenerator<ExpectedFile | Difference> {
  for (const file of ignition.storage?.files ?? []) {
    const { path, mode = 0o644, contents } = file
    try {
      const owner = await resolveFileOwner(host.accounts, file)
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
  { user, path }: SshKeysLocation,
): AsyncGenerator<ExpectedFile | Difference> {
  try {
    const account = await accounts.user(user)
    if (!account) return
    const { uid, gid, home } = account
    const at = `${home}/.ssh/${path}`
    const text = authorizedKeysText(config)
    if (text === '') yield* unexpectedKeys(await files.stat(at), at)
    else yield { kind: 'sshKeys', path: at, mode: 0o600, uid, gid, digest: sha256Hex(text) }
  } catch (error) {
    yield { kind: 'sshKeys', at: user, what: `cannot be compared: ${messageOf(error)}` }
  }
}

/** Without keys, the file may be absent or empty. */
function* unexpectedKeys(entry: Entry | undefined, at: string): Iterable<Difference> {
  const none = entry === undefined || (entry.type === 'file' && entry.size === 0)
  if (!none) yield { kind: 'sshKeys', at, what: 'has keys, expected none' }
}
