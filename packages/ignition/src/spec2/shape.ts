import type { BoolField, IntField, Shape, StringField, StringsField } from '../spec/field.ts'
import type * as c from './config.ts'

/* All structs and fields of Ignition 2.2, for parsing. Lists have no keys: items may occur twice. */

const string = { type: 'string' } satisfies StringField
const int = { type: 'int' } satisfies IntField
const bool = { type: 'bool' } satisfies BoolField
const strings = { type: 'strings', unique: false } satisfies StringsField

const reference: Shape<c.Reference> = {
  source: string,
  verification: struct<c.Verification>({ hash: string }),
}

const ignition: Shape<c.Ignition> = {
  version: { ...string, plain: true, required: true },
  config: struct<c.IgnitionConfig>({ append: items(reference), replace: struct(reference) }),
  security: struct<c.Security>({
    tls: struct<c.Tls>({ certificateAuthorities: items(reference) }),
  }),
  timeouts: struct<c.Timeouts>({ httpResponseHeaders: int, httpTotal: int }),
}

const dropin: Shape<c.Dropin> = { name: string, contents: string }

const creation: Shape<c.UserCreation> = {
  gecos: string,
  groups: strings,
  homeDir: string,
  noCreateHome: bool,
  noLogInit: bool,
  noUserGroup: bool,
  primaryGroup: string,
  shell: string,
  system: bool,
  uid: int,
}

const user: Shape<c.User> = {
  ...creation,
  name: string,
  create: struct(creation),
  passwordHash: string,
  sshAuthorizedKeys: strings,
}

const group: Shape<c.Group> = { name: string, gid: int, passwordHash: string, system: bool }

const unit: Shape<c.Unit> = {
  name: string,
  contents: string,
  dropins: items(dropin),
  enable: bool,
  enabled: bool,
  mask: bool,
}

const owner: Shape<c.Owner> = { id: int, name: string }

const node: Shape<c.Node> = {
  filesystem: string,
  path: string,
  group: struct(owner),
  overwrite: bool,
  user: struct(owner),
}

const file: Shape<c.File> = {
  ...node,
  append: bool,
  contents: struct<c.Contents>({ ...reference, compression: string }),
  mode: int,
}

const partition: Shape<c.Partition> = {
  guid: string,
  label: string,
  number: int,
  size: int,
  start: int,
  typeGuid: string,
}

const raid: Shape<c.Raid> = {
  name: string,
  devices: strings,
  level: string,
  options: strings,
  spares: int,
}

const mount: Shape<c.Mount> = {
  create: struct<c.MountCreation>({ force: bool, options: strings }),
  device: string,
  format: string,
  label: string,
  options: strings,
  uuid: string,
  wipeFilesystem: bool,
}

const storage: Shape<c.Storage> = {
  directories: items<c.Directory>({ ...node, mode: int }),
  disks: items<c.Disk>({ device: string, partitions: items(partition), wipeTable: bool }),
  files: items(file),
  filesystems: items<c.Filesystem>({ name: string, mount: struct(mount), path: string }),
  links: items<c.Link>({ ...node, hard: bool, target: string }),
  raid: items(raid),
}

export const spec2Shape: Shape<c.Spec2Config> = {
  ignition: struct(ignition),
  networkd: struct<c.Networkd>({
    units: items<c.NetworkdUnit>({ name: string, contents: string, dropins: items(dropin) }),
  }),
  passwd: struct<c.Passwd>({ groups: items(group), users: items(user) }),
  storage: struct(storage),
  systemd: struct<c.Systemd>({ units: items(unit) }),
}

function struct<T>(shape: Shape<T>): { readonly type: 'struct'; readonly shape: Shape<T> } {
  return { type: 'struct', shape }
}

interface AnyItems<T> {
  readonly type: 'items'
  readonly unique: false
  readonly shape: Shape<T>
  key(): string
}

function items<T>(shape: Shape<T>): AnyItems<T> {
  return { type: 'items', unique: false, shape, key: () => '' }
}
