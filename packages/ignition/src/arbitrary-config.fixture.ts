import * as fc from 'fast-check'
import type * as c from './spec/config.ts'

/*
 * Arbitrary valid Ignition 3.5 configs. Keys are from small sets, so that two configs often have the same file, unit
 * or user. All fields of the spec occur.
 */

export interface ConfigLimits {
  /** No path is both a file and a directory or link, no kernel argument changes its list, and no header is removed. */
  readonly keysStayInTheirList?: boolean
  /** Only fields of spec 3.0. */
  readonly onlyOldFields?: boolean
}

export function arbitraryConfig(limits: ConfigLimits = {}): fc.Arbitrary<c.Config> {
  return fc
    .record(
      {
        ignition: ignition(limits),
        kernelArguments: limits.onlyOldFields ? fc.constant(undefined) : kernelArguments(limits),
        passwd: passwd(limits),
        storage: storage(limits),
        systemd: some({ units: keyed(unit, 'name') }),
      },
      { requiredKeys: ['ignition'] },
    )
    .map(withoutUndefined)
}

const hash256 = 'sha256-' + '0'.repeat(64)
const hash512 = 'sha512-' + '1'.repeat(128)
const text = fc.constantFrom('', 'one', 'two', 'drei')
const filled = fc.constantFrom('one', 'two', 'drei')
const words = fc.uniqueArray(filled, { maxLength: 3 })
const repeatedWords = fc.array(filled, { maxLength: 3 })

function some<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<
  Partial<T>
> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
}

function keyed<T>(item: fc.Arbitrary<T>, key: keyof T & string): fc.Arbitrary<T[]> {
  return fc.uniqueArray(item, { maxLength: 4, selector: (one) => one[key] })
}

const dataSource = fc.constantFrom(
  'data:,',
  'data:,hello%20world%0A',
  'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK',
  'data:;base64,H4sIAAAAAAAAA0vLz+cCAKhlMn4EAAAA',
  '',
)
const filledDataSource = dataSource.filter((source) => source !== '')
const webSource = fc.constantFrom('https://example.com/a', 'http://example.com/b')

function headers(limits: ConfigLimits): fc.Arbitrary<c.HttpHeader[]> {
  const value = fc.constantFrom('1', '2')
  return keyed(
    fc.record(
      { name: fc.constantFrom('X-One', 'X-Two', 'X-Three'), value },
      { requiredKeys: limits.keysStayInTheirList ? ['name', 'value'] : ['name'] },
    ) as fc.Arbitrary<c.HttpHeader>,
    'name',
  )
}

function resource(
  limits: ConfigLimits,
  { source, compressed }: { source?: 'required' | 'filled'; compressed: boolean },
): fc.Arbitrary<c.Resource> {
  const hash = limits.onlyOldFields ? fc.constant(hash512) : fc.constantFrom(hash256, hash512)
  const shared = {
    ...(compressed && { compression: fc.constantFrom('', 'gzip') }),
    verification: fc.record({ hash }, { requiredKeys: [] }),
  }
  const inline = source === 'filled' ? filledDataSource : dataSource
  const data = fc.record({ source: inline, ...shared }, { requiredKeys: ['source'] })
  const web = fc.record(
    {
      source: webSource,
      ...shared,
      ...(!limits.onlyOldFields && { httpHeaders: headers(limits) }),
    },
    { requiredKeys: ['source'] },
  )
  const none = fc.record({}, { requiredKeys: [] })
  return fc.oneof(data, web, ...(source ? [] : [none]))
}

function ignition(limits: ConfigLimits): fc.Arbitrary<c.Ignition> {
  const reference = resource(limits, { source: 'filled', compressed: !limits.onlyOldFields })
  return fc.record(
    {
      version: fc.constant('3.5.0'),
      config: some({
        merge: keyed(reference, 'source'),
        replace: resource(limits, { compressed: !limits.onlyOldFields }),
      }),
      ...(!limits.onlyOldFields && {
        proxy: some({
          httpProxy: fc.constantFrom('http://proxy/', 'http://other/'),
          httpsProxy: fc.constant('https://proxy/'),
          noProxy: words,
        }),
      }),
      security: some({ tls: some({ certificateAuthorities: keyed(reference, 'source') }) }),
      timeouts: some({ httpResponseHeaders: fc.nat(20), httpTotal: fc.nat(20) }),
    },
    { requiredKeys: ['version'] },
  )
}

function kernelArguments(limits: ConfigLimits): fc.Arbitrary<c.KernelArguments> {
  const no = limits.keysStayInTheirList ? ['rhgb', 'splash'] : ['quiet', 'nosmt', 'rhgb']
  return some({
    shouldExist: fc.uniqueArray(fc.constantFrom<string[]>('quiet', 'nosmt', 'debug'), {
      maxLength: 3,
    }),
    shouldNotExist: fc.uniqueArray(fc.constantFrom(...no), { maxLength: 2 }),
  }).map(onOneSideOnly)
}

function onOneSideOnly({ shouldExist, shouldNotExist }: c.KernelArguments): c.KernelArguments {
  return {
    ...(shouldExist && { shouldExist }),
    ...(shouldNotExist && {
      shouldNotExist: shouldNotExist.filter((argument) => !shouldExist?.includes(argument)),
    }),
  }
}

function passwd(limits: ConfigLimits): fc.Arbitrary<c.Passwd> {
  const shouldExist = !limits.onlyOldFields && { shouldExist: fc.boolean() }
  const user = fc.record(
    {
      name: fc.constantFrom('core', 'admin'),
      gecos: text,
      groups: words,
      homeDir: fc.constantFrom('/home/core', '/var/home'),
      noCreateHome: fc.boolean(),
      noLogInit: fc.boolean(),
      noUserGroup: fc.boolean(),
      passwordHash: filled,
      primaryGroup: filled,
      shell: fc.constantFrom('/bin/sh', '/bin/bash'),
      sshAuthorizedKeys: fc.uniqueArray(fc.constantFrom('ssh a', 'ssh b', 'ssh c')),
      system: fc.boolean(),
      uid: fc.nat(3),
      ...shouldExist,
    },
    { requiredKeys: ['name'] },
  )
  const group = fc.record(
    {
      name: fc.constantFrom('wheel', 'users'),
      gid: fc.nat(3),
      passwordHash: filled,
      system: fc.boolean(),
      ...shouldExist,
    },
    { requiredKeys: ['name'] },
  )
  return some({
    groups: keyed(group, 'name'),
    users: keyed(user, 'name'),
  })
}

const unit = fc.record(
  {
    name: fc.constantFrom('a.service', 'b.service', 'c.timer'),
    contents: fc.constantFrom('', '[Unit]\nDescription=a\n', '[Unit]\nDescription=b\n'),
    dropins: keyed(
      fc.record(
        {
          name: fc.constantFrom('10.conf', '20.conf', '30.conf'),
          contents: fc.constantFrom('', '[Unit]\n'),
        },
        { requiredKeys: ['name'] },
      ),
      'name',
    ),
    enabled: fc.boolean(),
    mask: fc.boolean(),
  },
  { requiredKeys: ['name'] },
)

function storage(limits: ConfigLimits): fc.Arbitrary<c.Storage> {
  return some({
    directories: keyed(directory(limits), 'path'),
    disks: keyed(disk(limits), 'device'),
    files: keyed(file(limits), 'path'),
    filesystems: keyed(filesystem(limits), 'device'),
    links: keyed(link(limits), 'path'),
    luks: limits.onlyOldFields ? fc.constant<c.Luks[]>([]) : keyed(luks(limits), 'name'),
    raid: keyed(raid, 'name'),
  }).map(oneNodePerPath)
}

/** Paths are unique within a config. */
function oneNodePerPath(storage: c.Storage): c.Storage {
  const taken = new Set<string>()
  const first = <T extends c.Node>(nodes: T[]): T[] =>
    nodes.filter(({ path }) => !taken.has(path) && taken.add(path))
  return {
    ...storage,
    ...(storage.files && { files: first(storage.files) }),
    ...(storage.directories && { directories: first(storage.directories) }),
    ...(storage.links && { links: first(storage.links) }),
  }
}

const owner = fc.oneof(
  fc.record({ id: fc.nat(2) }, { requiredKeys: [] }),
  fc.record({ name: fc.constantFrom('root', 'core') }),
)

function path(limits: ConfigLimits, kind: string): fc.Arbitrary<string> {
  const place = limits.keysStayInTheirList ? `/etc/${kind}` : '/etc'
  return fc.constantFrom('a', 'b', 'c', 'd', 'e').map((name) => `${place}-${name}`)
}

function file(limits: ConfigLimits): fc.Arbitrary<c.File> {
  const contents = resource(limits, { compressed: true })
  return fc
    .record(
      {
        path: path(limits, 'file'),
        append: fc.array(resource(limits, { source: 'required', compressed: true }), {
          maxLength: 2,
        }),
        contents,
        group: owner,
        mode: fc.constantFrom(0o600, 0o644),
        overwrite: fc.boolean(),
        user: owner,
      },
      { requiredKeys: ['path'] },
    )
    .map(overwritingWithSomething)
}

function overwritingWithSomething({ overwrite, ...file }: c.File): c.File {
  if (overwrite === undefined) return file
  return { ...file, overwrite: overwrite && file.contents?.source !== undefined }
}

function directory(limits: ConfigLimits): fc.Arbitrary<c.Directory> {
  return fc.record(
    {
      path: path(limits, 'directory'),
      group: owner,
      mode: fc.constantFrom(0o700, 0o755),
      overwrite: fc.boolean(),
      user: owner,
    },
    { requiredKeys: ['path'] },
  )
}

function link(limits: ConfigLimits): fc.Arbitrary<c.Link> {
  return fc.record(
    {
      path: path(limits, 'link'),
      target: fc.constantFrom('/opt/x', '/opt/y'),
      group: owner,
      hard: fc.boolean(),
      overwrite: fc.boolean(),
      user: owner,
    },
    { requiredKeys: ['path', 'target'] },
  )
}

function disk(limits: ConfigLimits): fc.Arbitrary<c.Disk> {
  const rest = {
    guid: fc.constant('9d6e42cd-dcef-4177-b4c6-2a0c979e3d82'),
    shouldExist: fc.constant(true),
    sizeMiB: fc.nat(9),
    typeGuid: fc.constant('0fc63daf-8483-4772-8e79-3d69d8477de4'),
    wipePartitionEntry: fc.boolean(),
    ...(!limits.onlyOldFields && { resize: fc.constant(false) }),
  }
  const numbered = fc.record(
    { number: fc.integer({ min: 1, max: 3 }), ...rest },
    { requiredKeys: ['number'] },
  )
  const labelled = fc.record(
    { label: fc.constantFrom('root', 'var'), ...rest },
    { requiredKeys: ['label'] },
  )
  return fc.record(
    {
      device: fc.constantFrom('/dev/sda', '/dev/sdb'),
      partitions: fc.uniqueArray(fc.oneof(numbered, labelled) as fc.Arbitrary<c.Partition>, {
        maxLength: 3,
        selector: ({ number, label }) => number ?? label,
      }),
      wipeTable: fc.boolean(),
    },
    { requiredKeys: ['device'] },
  )
}

const raid: fc.Arbitrary<c.Raid> = fc.record(
  {
    name: fc.constantFrom('data', 'logs'),
    devices: fc.uniqueArray(fc.constantFrom('/dev/sdc', '/dev/sdd', '/dev/sde'), { minLength: 1 }),
    level: fc.constantFrom('raid1', 'raid5'),
    options: repeatedWords,
    spares: fc.nat(2),
  },
  { requiredKeys: ['name', 'devices', 'level'] },
)

function filesystem(limits: ConfigLimits): fc.Arbitrary<c.Filesystem> {
  return fc.record(
    {
      device: fc.constantFrom('/dev/vda', '/dev/vdb'),
      format: fc.constantFrom('xfs', 'ext4'),
      label: filled,
      options: repeatedWords,
      path: fc.constantFrom('/var', '/srv'),
      uuid: filled,
      wipeFilesystem: fc.boolean(),
      ...(!limits.onlyOldFields && { mountOptions: repeatedWords }),
    },
    { requiredKeys: ['device', 'format'] },
  )
}

function luks(limits: ConfigLimits): fc.Arbitrary<c.Luks> {
  const tang = fc.record(
    {
      url: fc.constantFrom('http://tang.one', 'http://tang.two'),
      thumbprint: filled,
      advertisement: fc.constantFrom('{}', '{"payload":""}'),
    },
    { requiredKeys: ['url', 'thumbprint'] },
  )
  const clevis = fc.oneof(
    some({ tang: keyed(tang, 'url'), threshold: fc.constant(1), tpm2: fc.boolean() }),
    fc.record({
      custom: fc.record({ config: filled, needsNetwork: fc.boolean(), pin: fc.constant('tpm2') }),
    }),
  )
  const key = fc.oneof(
    fc.record({ keyFile: resource(limits, { source: 'required', compressed: true }) }),
    fc.record({ clevis }),
    fc.record({ cex: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }) }),
    fc.record({}),
  )
  const rest = fc.record(
    {
      name: fc.constantFrom('root', 'var'),
      device: fc.constantFrom('/dev/vdc', '/dev/vdd'),
      discard: fc.boolean(),
      label: filled,
      openOptions: words,
      options: repeatedWords,
      uuid: filled,
      wipeVolume: fc.boolean(),
    },
    { requiredKeys: ['name', 'device'] },
  )
  return fc.tuple(rest, key).map(([one, other]): c.Luks => Object.assign({}, one, other))
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T
}
