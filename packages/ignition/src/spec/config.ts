/**
 * An Ignition config of spec 3.5, the internal version of this package. `undefined` and absent are equivalent. Older versions are
 * subsets of it (see shape.ts).
 */
export interface Config {
  ignition: Ignition
  kernelArguments?: KernelArguments
  passwd?: Passwd
  storage?: Storage
  systemd?: Systemd
}

export interface Ignition {
  version: string
  config?: IgnitionConfig
  proxy?: Proxy
  security?: Security
  timeouts?: Timeouts
}

export interface IgnitionConfig {
  merge?: Resource[]
  replace?: Resource
}

export interface Proxy {
  httpProxy?: string
  httpsProxy?: string
  noProxy?: string[]
}

export interface Security {
  tls?: Tls
}

export interface Tls {
  certificateAuthorities?: Resource[]
}

export interface Timeouts {
  httpResponseHeaders?: number
  httpTotal?: number
}

/** Content at a URL, or inline in a `data:` URL. */
export interface Resource {
  compression?: string
  httpHeaders?: HttpHeader[]
  source?: string
  verification?: Verification
}

export interface HttpHeader {
  name: string
  value?: string
}

export interface Verification {
  hash?: string
}

export interface KernelArguments {
  shouldExist?: string[]
  shouldNotExist?: string[]
}

export interface Passwd {
  groups?: Group[]
  users?: User[]
}

export interface User {
  name: string
  gecos?: string
  groups?: string[]
  homeDir?: string
  noCreateHome?: boolean
  noLogInit?: boolean
  noUserGroup?: boolean
  passwordHash?: string
  primaryGroup?: string
  shell?: string
  shouldExist?: boolean
  sshAuthorizedKeys?: string[]
  system?: boolean
  uid?: number
}

export interface Group {
  name: string
  gid?: number
  passwordHash?: string
  shouldExist?: boolean
  system?: boolean
}

export interface Systemd {
  units?: Unit[]
}

export interface Unit {
  name: string
  contents?: string
  dropins?: Dropin[]
  enabled?: boolean
  mask?: boolean
}

export interface Dropin {
  name: string
  contents?: string
}

export interface Storage {
  directories?: Directory[]
  disks?: Disk[]
  files?: File[]
  filesystems?: Filesystem[]
  links?: Link[]
  luks?: Luks[]
  raid?: Raid[]
}

/** The common fields of files, directories and links, which share one key space: their path. */
export interface Node {
  path: string
  group?: Owner
  overwrite?: boolean
  user?: Owner
}

export interface Owner {
  id?: number
  name?: string
}

export interface File extends Node {
  append?: Resource[]
  contents?: Resource
  mode?: number
}

export interface Directory extends Node {
  mode?: number
}

export interface Link extends Node {
  hard?: boolean
  target?: string
}

export interface Disk {
  device: string
  partitions?: Partition[]
  wipeTable?: boolean
}

export interface Partition {
  guid?: string
  label?: string
  /** Absent and 0 are equivalent: any free number. */
  number?: number
  resize?: boolean
  shouldExist?: boolean
  sizeMiB?: number
  startMiB?: number
  typeGuid?: string
  wipePartitionEntry?: boolean
}

export interface Raid {
  name: string
  devices?: string[]
  level?: string
  options?: string[]
  spares?: number
}

export interface Filesystem {
  device: string
  format?: string
  label?: string
  mountOptions?: string[]
  options?: string[]
  path?: string
  uuid?: string
  wipeFilesystem?: boolean
}

export interface Luks {
  name: string
  cex?: Cex
  clevis?: Clevis
  device?: string
  discard?: boolean
  keyFile?: Resource
  label?: string
  openOptions?: string[]
  options?: string[]
  uuid?: string
  wipeVolume?: boolean
}

export interface Cex {
  enabled?: boolean
}

export interface Clevis {
  custom?: ClevisCustom
  tang?: Tang[]
  threshold?: number
  tpm2?: boolean
}

export interface ClevisCustom {
  config?: string
  needsNetwork?: boolean
  pin?: string
}

export interface Tang {
  /** Absent and empty are equivalent. */
  url?: string
  advertisement?: string
  thumbprint?: string
}
