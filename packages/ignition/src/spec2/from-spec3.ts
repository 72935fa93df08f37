import type * as spec3 from '../spec/config.ts'
import { spec2Version } from '../spec/spec2-version.ts'
import { disk, group, owner, raid, unit, user } from './shared-structs.ts'
import { compact, nonZero } from './compact.ts'
import type * as spec2 from './config.ts'

/** Converts a config of spec 3 to spec 2.2. Lossless only if `lostInSpec2` returns nothing. */
export function fromSpec3(config: spec3.Config): spec2.Spec2Config {
  const { ignition, passwd, storage = {}, systemd } = config
  return compact<spec2.Spec2Config>({
    ignition: ignitionSection(ignition),
    passwd: compact<spec2.Passwd>({
      groups: passwd?.groups?.map(group),
      users: passwd?.users?.map(user),
    }),
    storage: storageSection(storage),
    systemd: compact<spec2.Systemd>({ units: systemd?.units?.map(unit) }),
  })
}

function ignitionSection({ config, security, timeouts }: spec3.Ignition): spec2.Ignition {
  return compact<spec2.Ignition>({
    version: spec2Version,
    config: compact<spec2.IgnitionConfig>({
      append: config?.merge?.map(reference),
      replace: config?.replace && reference(config.replace),
    }),
    security: compact<spec2.Security>({
      tls: compact<spec2.Tls>({
        certificateAuthorities: security?.tls?.certificateAuthorities?.map(reference),
      }),
    }),
    timeouts,
  })
}

function reference({ source, verification }: spec3.Resource): spec2.Reference {
  return compact<spec2.Reference>({ source: nonZero(source), verification })
}

function storageSection(storage: spec3.Storage): spec2.Storage {
  const mounts = mountPoints(storage)
  return compact<spec2.Storage>({
    directories: storage.directories?.map((directory) =>
      compact<spec2.Directory>({ ...node(directory, mounts), mode: directory.mode }),
    ),
    disks: storage.disks?.map(disk),
    files: storage.files?.flatMap((file) => entriesOf(file, mounts)),
    filesystems: filesystems(storage.filesystems ?? []),
    links: storage.links?.map((link) =>
      compact<spec2.Link>({
        ...node(link, mounts),
        hard: nonZero(link.hard),
        target: nonZero(link.target),
      }),
    ),
    raid: storage.raid?.map(raid),
  })
}

/** In spec 2, file systems have a name to which files refer. The mount path is used as the name. */
function filesystems(all: readonly spec3.Filesystem[]): spec2.Filesystem[] {
  let unnamed = 0
  return all.map((filesystem) => ({
    name: filesystem.path || String(++unnamed),
    mount: compact<spec2.Mount>({
      device: filesystem.device,
      format: nonZero(filesystem.format),
      label: filesystem.label,
      options: filesystem.options,
      uuid: filesystem.uuid,
      wipeFilesystem: nonZero(filesystem.wipeFilesystem),
    }),
  }))
}

/** The mount paths of file systems, the longest first. */
function mountPoints({ filesystems = [] }: spec3.Storage): string[] {
  const paths = filesystems.flatMap(({ path }) => (path ? [path] : []))
  return paths.sort((one, other) => other.length - one.length)
}

function node({ path, user, group, overwrite }: spec3.Node, mounts: readonly string[]): spec2.Node {
  const mount = mounts.find((mount) => isWithin(path, mount))
  const below = mount === undefined || mount === '/' ? path : path.slice(mount.length) || '/'
  return compact<spec2.Node>({
    filesystem: mount ?? 'root',
    path: below,
    group: owner(group),
    overwrite,
    user: owner(user),
  })
}

const isWithin = (path: string, mount: string): boolean =>
  mount === '/' || path === mount || path.startsWith(`${mount}/`)

/** In spec 2, appended contents are separate entries, and overwriting is the default, so `overwrite` is always set. */
function entriesOf(file: spec3.File, mounts: readonly string[]): spec2.File[] {
  const entry = (content: spec3.Resource, append: boolean): spec2.File =>
    compact<spec2.File>({
      ...node({ ...file, overwrite: !append && file.overwrite === true }, mounts),
      append: nonZero(append),
      contents: compact<spec2.Contents>({
        ...reference(content),
        compression: nonZero(content.compression),
      }),
      mode: file.mode,
    })
  return [
    ...(file.contents?.source === undefined ? [] : [entry(file.contents, false)]),
    ...(file.append ?? []).map((content) => entry(content, true)),
  ]
}
