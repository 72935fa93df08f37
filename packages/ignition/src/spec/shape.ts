import type * as c from './config.ts'
import type {
  BoolField,
  IntField,
  ItemsField,
  Shape,
  StringField,
  StringsField,
  StructField,
} from './field.ts'
import type { Spec } from './version.ts'

/*
 * All structs and fields of Ignition 3.0 to 3.5. Parsing, detection of unknown keys and duplicates, merging and conversion use this
 * table.
 */

const string = { type: 'string' } satisfies StringField
const int = { type: 'int' } satisfies IntField
const bool = { type: 'bool' } satisfies BoolField
const requiredString = { type: 'string', plain: true, required: true } satisfies StringField
const plainString = { type: 'string', plain: true } satisfies StringField
const plainInt = { type: 'int', plain: true } satisfies IntField
/** A set of strings: duplicates are errors. */
const uniqueStrings = { type: 'strings', unique: true } satisfies StringsField
/** A list of strings in which order and duplicates matter, such as command options. */
const anyStrings = { type: 'strings', unique: false } satisfies StringsField

const verification: Shape<c.Verification> = { hash: string }

const httpHeader: Shape<c.HttpHeader> = { name: requiredString, value: string }

const fileResource: Shape<c.Resource> = {
  compression: string,
  httpHeaders: since(
    '3.1',
    items(httpHeader, (header) => header.name),
  ),
  source: string,
  verification: struct(verification),
}

/** In 3.0 only files can be compressed. */
const configResource: Shape<c.Resource> = { ...fileResource, compression: since('3.1', string) }

const authorityResource: Shape<c.Resource> = {
  ...configResource,
  source: { ...string, plainUntil: '3.0' },
}

const resourceKey = (resource: c.Resource): string => resource.source ?? ''

const ignitionConfig: Shape<c.IgnitionConfig> = {
  merge: items(configResource, resourceKey),
  replace: struct(configResource),
}

const proxy: Shape<c.Proxy> = { httpProxy: string, httpsProxy: string, noProxy: uniqueStrings }

const tls: Shape<c.Tls> = { certificateAuthorities: items(authorityResource, resourceKey) }

const security: Shape<c.Security> = { tls: struct(tls) }

const timeouts: Shape<c.Timeouts> = { httpResponseHeaders: int, httpTotal: int }

const ignition: Shape<c.Ignition> = {
  version: requiredString,
  config: struct(ignitionConfig),
  proxy: since('3.1', struct(proxy)),
  security: struct(security),
  timeouts: struct(timeouts),
}

const kernelArguments: Shape<c.KernelArguments> = {
  shouldExist: { ...uniqueStrings, keySpace: 'kernel argument' },
  shouldNotExist: { ...uniqueStrings, keySpace: 'kernel argument' },
}

const user: Shape<c.User> = {
  name: requiredString,
  gecos: string,
  groups: uniqueStrings,
  homeDir: string,
  noCreateHome: bool,
  noLogInit: bool,
  noUserGroup: bool,
  passwordHash: string,
  primaryGroup: string,
  shell: string,
  shouldExist: since('3.2', bool),
  sshAuthorizedKeys: uniqueStrings,
  system: bool,
  uid: int,
}

const group: Shape<c.Group> = {
  name: requiredString,
  gid: int,
  passwordHash: string,
  shouldExist: since('3.2', bool),
  system: bool,
}

const passwd: Shape<c.Passwd> = { groups: items(group, nameOf), users: items(user, nameOf) }

const dropin: Shape<c.Dropin> = { name: requiredString, contents: string }

const unit: Shape<c.Unit> = {
  name: requiredString,
  contents: string,
  dropins: items(dropin, nameOf),
  enabled: bool,
  mask: bool,
}

const systemd: Shape<c.Systemd> = { units: items(unit, nameOf) }

const owner: Shape<c.Owner> = { id: int, name: string }

const node: Shape<c.Node> = {
  path: requiredString,
  group: struct(owner),
  overwrite: bool,
  user: struct(owner),
}

const file: Shape<c.File> = {
  ...node,
  append: { ...items(fileResource, resourceKey), unique: false },
  contents: struct(fileResource),
  mode: int,
}

const directory: Shape<c.Directory> = { ...node, mode: int }

const link: Shape<c.Link> = { ...node, hard: bool, target: { ...string, plainUntil: '3.2' } }

const partition: Shape<c.Partition> = {
  guid: string,
  label: string,
  number: plainInt,
  resize: since('3.2', bool),
  shouldExist: bool,
  sizeMiB: int,
  startMiB: int,
  typeGuid: string,
  wipePartitionEntry: bool,
}

const disk: Shape<c.Disk> = {
  device: requiredString,
  partitions: items(partition, partitionKey),
  wipeTable: bool,
}

const raid: Shape<c.Raid> = {
  name: requiredString,
  devices: uniqueStrings,
  level: { ...string, plainUntil: '3.2' },
  options: anyStrings,
  spares: int,
}

const filesystem: Shape<c.Filesystem> = {
  device: requiredString,
  format: string,
  label: string,
  mountOptions: since('3.1', anyStrings),
  options: anyStrings,
  path: string,
  uuid: string,
  wipeFilesystem: bool,
}

const cex: Shape<c.Cex> = { enabled: bool }

const clevisCustom: Shape<c.ClevisCustom> = {
  config: { ...string, plainUntil: '3.2' },
  needsNetwork: bool,
  pin: { ...string, plainUntil: '3.2' },
}

const tang: Shape<c.Tang> = {
  url: plainString,
  advertisement: since('3.4', string),
  thumbprint: string,
}

const clevis: Shape<c.Clevis> = {
  custom: { ...struct(clevisCustom), nullableUntil: '3.2' },
  tang: items(tang, (server) => server.url ?? ''),
  threshold: int,
  tpm2: bool,
}

const luks: Shape<c.Luks> = {
  name: requiredString,
  cex: since('3.5', struct(cex)),
  clevis: { ...struct(clevis), nullableUntil: '3.2' },
  device: string,
  discard: since('3.4', bool),
  keyFile: struct(fileResource),
  label: string,
  openOptions: since('3.4', uniqueStrings),
  options: anyStrings,
  uuid: string,
  wipeVolume: bool,
}

const storage: Shape<c.Storage> = {
  directories: { ...items(directory, pathOf), keySpace: 'path' },
  disks: items(disk, deviceOf),
  files: { ...items(file, pathOf), keySpace: 'path' },
  filesystems: items(filesystem, deviceOf),
  links: { ...items(link, pathOf), keySpace: 'path' },
  luks: since('3.2', items(luks, nameOf)),
  raid: items(raid, nameOf),
}

export const configShape: Shape<c.Config> = {
  ignition: struct(ignition),
  kernelArguments: since('3.3', struct(kernelArguments)),
  passwd: struct(passwd),
  storage: struct(storage),
  systemd: struct(systemd),
}

function since<F>(spec: Spec, field: F): F & { since: Spec } {
  return { ...field, since: spec }
}

function struct<T>(shape: Shape<T>): StructField<T> {
  return { type: 'struct', shape }
}

function items<T>(shape: Shape<T>, key: (item: T) => string): ItemsField<T> {
  return { type: 'items', unique: true, shape, key } as ItemsField<T>
}

function nameOf(item: { name: string }): string {
  return item.name
}

function pathOf(item: { path: string }): string {
  return item.path
}

function deviceOf(item: { device: string }): string {
  return item.device
}

/** A partition is identified by its number, or by its label if it has none. */
function partitionKey({ number = 0, label }: c.Partition): string {
  if (number !== 0) return `number:${number}`
  return label === undefined ? '' : `label:${label}`
}
