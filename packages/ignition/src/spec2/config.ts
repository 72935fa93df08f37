/**
 * An Ignition config of spec 2.2, which machines with old boot images request and old MachineConfigs contain. Absent, empty, zero
 * and false are equivalent unless noted.
 */
export interface Spec2Config {
  ignition: Ignition
  networkd?: Networkd
  passwd?: Passwd
  storage?: Storage
  systemd?: Systemd
}

export interface Ignition {
  version: string
  config?: IgnitionConfig
  security?: Security
  timeouts?: Timeouts
}

export interface IgnitionConfig {
  append?: Reference[]
  replace?: Reference
}

export interface Security {
  tls?: Tls
}

export interface Tls {
  certificateAuthorities?: Reference[]
}

export interface Timeouts {
  /** Absent differs from 0. */
  httpResponseHeaders?: number
  /** Absent differs from 0. */
  httpTotal?: number
}

export interface Reference {
  source?: string
  verification?: Verification
}

export interface Verification {
  hash?: string
}

export interface Networkd {
  units?: NetworkdUnit[]
}

export interface NetworkdUnit {
  name?: string
  contents?: string
  dropins?: Dropin[]
}

export interface Passwd {
  groups?: Group[]
  users?: User[]
}

export interface Group {
  name?: string
  gid?: number
  passwordHash?: string
  system?: boolean
}

/** `create` applies only if the user does not exist. */
export interface UserCreation {
  gecos?: string
  groups?: string[]
  homeDir?: string
  noCreateHome?: boolean
  noLogInit?: boolean
  noUserGroup?: boolean
  primaryGroup?: string
  shell?: string
  system?: boolean
  uid?: number
}

export interface User extends UserCreation {
  name?: string
  create?: UserCreation
  /** Absent differs from empty. */
  passwordHash?: string
  sshAuthorizedKeys?: string[]
}

export interface Systemd {
  units?: Unit[]
}

export interface Unit {
  name?: string
  contents?: string
  dropins?: Dropin[]
  enable?: boolean
  /** Absent differs from false. Takes precedence over `enable`. */
  enabled?: boolean
  mask?: boolean
}

export interface Dropin {
  name?: string
  contents?: string
}

export interface Storage {
  directories?: Directory[]
  disks?: Disk[]
  files?: File[]
  filesystems?: Filesystem[]
  links?: Link[]
  raid?: Raid[]
}

export interface Node {
  /** The name of a file system; `root` always exists. */
  filesystem?: string
  path?: string
  group?: Owner
  /** Absent means true for files, false for the others. */
  overwrite?: boolean
  user?: Owner
}

export interface Owner {
  id?: number
  name?: string
}

export interface File extends Node {
  /** Appends to the file instead of replacing it. */
  append?: boolean
  contents?: Contents
  mode?: number
}

export interface Contents extends Reference {
  compression?: string
}

export interface Directory extends Node {
  mode?: number
}

export interface Link extends Node {
  hard?: boolean
  target?: string
}

export interface Disk {
  device?: string
  partitions?: Partition[]
  wipeTable?: boolean
}

export interface Partition {
  guid?: string
  label?: string
  number?: number
  /** In sectors. */
  size?: number
  /** In sectors. */
  start?: number
  typeGuid?: string
}

export interface Raid {
  name?: string
  devices?: string[]
  level?: string
  options?: string[]
  spares?: number
}

export interface Filesystem {
  name?: string
  mount?: Mount
  path?: string
}

export interface Mount {
  create?: MountCreation
  device?: string
  format?: string
  label?: string
  options?: string[]
  uuid?: string
  wipeFilesystem?: boolean
}

export interface MountCreation {
  force?: boolean
  options?: string[]
}
