import * as fc from 'fast-check'
import type * as c from './config.ts'

/* Arbitrary configs of spec 2.2 that spec 3 can express. Files, units and users often have duplicates. */

const hash = 'sha512-' + '1'.repeat(128)
const text = fc.constantFrom('', 'one', 'two')
const words = fc.uniqueArray(fc.constantFrom('one', 'two', 'drei'), { maxLength: 3 })

function some<T extends object>(
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
  ...requiredKeys: (keyof T & string)[]
): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys }) as fc.Arbitrary<T>
}

const list = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 4 })

const verification = some<c.Verification>({ hash: fc.constant(hash) })
const source = fc.constantFrom('data:,', 'data:,a', 'data:;base64,YQ==', 'https://example.com/')
const reference = some<c.Reference>({ source, verification }, 'source')
const references = fc.uniqueArray(reference, { maxLength: 2, selector: (one) => one.source })

const ignition = some<c.Ignition>(
  {
    version: fc.constant('2.2.0'),
    config: some<c.IgnitionConfig>({ append: references, replace: reference }),
    security: some<c.Security>({ tls: some<c.Tls>({ certificateAuthorities: references }) }),
    timeouts: some<c.Timeouts>({ httpResponseHeaders: fc.nat(9), httpTotal: fc.nat(9) }),
  },
  'version',
)

const user = some<c.User>(
  {
    name: fc.constant('core'),
    gecos: text,
    groups: words,
    homeDir: text,
    noCreateHome: fc.boolean(),
    noLogInit: fc.boolean(),
    noUserGroup: fc.boolean(),
    passwordHash: text,
    primaryGroup: text,
    shell: text,
    sshAuthorizedKeys: fc.array(fc.constantFrom('ssh a', 'ssh b'), { maxLength: 3 }),
    system: fc.boolean(),
    uid: fc.nat(2),
  },
  'name',
)

const group = some<c.Group>(
  {
    name: fc.constantFrom('wheel', 'users'),
    gid: fc.nat(2),
    passwordHash: text,
    system: fc.boolean(),
  },
  'name',
)

const unitText = fc.constantFrom('', '[Unit]\nDescription=a\n')

const dropin = some<c.Dropin>(
  { name: fc.constantFrom('10.conf', '20.conf', '30.conf'), contents: unitText },
  'name',
)

const unit = some<c.Unit>(
  {
    name: fc.constantFrom('a.service', 'b.service'),
    contents: unitText,
    dropins: fc.uniqueArray(dropin, { maxLength: 2, selector: ({ name }) => name }),
    enable: fc.boolean(),
    enabled: fc.boolean(),
    mask: fc.boolean(),
  },
  'name',
)

const owner = fc.oneof(
  some<c.Owner>({ id: fc.nat(2) }),
  some<c.Owner>({ name: fc.constantFrom('', 'core') }),
)

const node = {
  filesystem: fc.constant('root'),
  group: owner,
  overwrite: fc.boolean(),
  user: owner,
}

const contents = some<c.Contents>({
  source,
  compression: fc.constantFrom('', 'gzip'),
  verification,
})

const file = some<c.File>(
  {
    ...node,
    path: fc.constantFrom('/file/a', '/file/b', '//file/./c'),
    contents,
    mode: fc.constantFrom(0, 420, 384),
  },
  'path',
  'filesystem',
)

const appendix = some<c.File>(
  {
    filesystem: fc.constant('root'),
    path: fc.constantFrom('/file/a', '/file/b', '/file/d'),
    append: fc.constant(true),
    overwrite: fc.constant(false),
    contents,
    mode: fc.constantFrom(420),
  },
  'path',
  'filesystem',
  'append',
  'mode',
)

const directory = some<c.Directory>(
  { ...node, path: fc.constantFrom('/directory/a', '/directory/b'), mode: fc.constantFrom(0, 493) },
  'path',
  'filesystem',
)

const link = some<c.Link>(
  {
    ...node,
    path: fc.constantFrom('/link/a', '/link/b'),
    hard: fc.boolean(),
    target: fc.constantFrom('/opt', '/srv'),
  },
  'path',
  'filesystem',
  'target',
)

const raid = some<c.Raid>(
  {
    name: fc.constantFrom('data', 'logs'),
    devices: fc.constant(['/dev/sda', '/dev/sdb']),
    level: fc.constantFrom('raid1', 'raid5'),
    options: words,
    spares: fc.nat(2),
  },
  'name',
  'devices',
  'level',
)

const once = <T>(item: fc.Arbitrary<T>, key: (item: T) => unknown): fc.Arbitrary<T[]> =>
  fc.uniqueArray(item, { maxLength: 2, selector: key })

/** With `appending`, some files append to others. */
export function arbitrarySpec2Config(appending = false): fc.Arbitrary<c.Spec2Config> {
  return some<c.Spec2Config>(
    {
      ignition,
      passwd: some<c.Passwd>({ groups: once(group, ({ name }) => name), users: list(user) }),
      storage: some<c.Storage>({
        directories: once(directory, ({ path }) => path),
        disks: fc.constant([{ device: '/dev/sdc', wipeTable: true }]),
        files: list(appending ? fc.oneof(file, appendix) : file),
        links: once(link, ({ path }) => path),
        raid: once(raid, ({ name }) => name),
      }),
      systemd: some<c.Systemd>({ units: list(unit) }),
    },
    'ignition',
  )
}
