import { posix } from 'node:path'
import type * as spec3 from '../spec/config.ts'
import { internalSpec, versionText } from '../spec/version.ts'
import { disk, group, owner, raid, unit, user } from './shared-structs.ts'
import { compact, nonZero } from './compact.ts'
import type * as spec2 from './config.ts'

/** Converts a config of spec 2 to spec 3. Lossless only if `lostInSpec3` returns nothing. */
export function toSpec3(config: spec2.Spec2Config): spec3.Config {
  const { ignition, passwd, storage = {}, systemd } = config
  return compact<spec3.Config>({
    ignition: ignitionSection(ignition),
    passwd: compact<spec3.Passwd>({
      groups: passwd?.groups?.map(group),
      users: passwd?.users?.map(user),
    }),
    storage: compact<spec3.Storage>({
      directories: storage.directories?.map((directory) =>
        compact<spec3.Directory>({ ...node(directory), mode: directory.mode }),
      ),
      disks: storage.disks?.map(disk),
      files: files(storage.files ?? []),
      links: storage.links?.map(link),
      raid: storage.raid?.map(raid),
    }),
    systemd: compact<spec3.Systemd>({
      units: systemd?.units?.map((old) =>
        unit({ ...old, enabled: old.enabled ?? nonZero(old.enable) }),
      ),
    }),
  })
}

function ignitionSection({ config, security, timeouts }: spec2.Ignition): spec3.Ignition {
  return compact<spec3.Ignition>({
    version: versionText(internalSpec),
    config: compact<spec3.IgnitionConfig>({
      merge: config?.append?.map(resource),
      replace: config?.replace && resource(config.replace),
    }),
    security: compact<spec3.Security>({
      tls: compact<spec3.Tls>({
        certificateAuthorities: security?.tls?.certificateAuthorities?.map(resource),
      }),
    }),
    timeouts,
  })
}

function resource({ source = '', verification }: spec2.Reference): spec3.Resource {
  return compact<spec3.Resource>({ source, verification })
}

function node({ path = '', user, group, overwrite }: spec2.Node): spec3.Node {
  return compact<spec3.Node>({
    path: posix.join('/', path),
    group: owner(group),
    overwrite,
    user: owner(user),
  })
}

/** Entries that append follow the entry that they append to (see deduplicate.ts). Together they are one file of spec 3. */
function files(entries: readonly spec2.File[]): spec3.File[] {
  const files: spec3.File[] = []
  for (const entry of entries) {
    const next = file(entry)
    const before = files.at(-1)
    if (entry.append && before?.path === next.path) (before.append ??= []).push(...next.append!)
    else files.push(next)
  }
  return files
}

/** Overwriting is the default in spec 2, except for entries that append. */
function file(entry: spec2.File): spec3.File {
  const { append = false, contents = {}, mode, overwrite = true } = entry
  const content = compact<spec3.Resource>({
    ...resource(contents),
    compression: nonZero(contents.compression),
  })
  return compact<spec3.File>({
    ...node({ ...entry, overwrite: overwrite && !append }),
    ...(append ? { append: [content] } : { contents: content }),
    mode,
  })
}

function link(link: spec2.Link): spec3.Link {
  const { hard, target = '' } = link
  return compact<spec3.Link>({ ...node(link), hard: nonZero(hard), target })
}
