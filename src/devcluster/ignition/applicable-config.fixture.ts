import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import type * as c from '@machinist/ignition/spec/config'

/*
 * Arbitrary Ignition configs for a simulated machine. Most of them can be applied; the others break a rule of Ignition, such as
 * a file that exists.
 */

export interface ConfigLimits {
  /** Only what a MachineConfig can have: no appended content, no accounts but core, and files that replace existing ones. */
  readonly onlyManaged?: boolean
}

export function applicableConfig(limits: ConfigLimits = {}): fc.Arbitrary<c.Config> {
  return fc
    .record({
      kernelArguments: limits.onlyManaged ? none : fc.oneof(none, kernelArguments),
      passwd: passwd(limits),
      storage: storage(limits),
      systemd: fc.record({ units: keyed(unit, 'name') }),
    })
    .map(configOf)
}

const configOf = ({ kernelArguments: words, ...config }: Omit<c.Config, 'ignition'>): c.Config => ({
  ignition: { version: '3.5.0' },
  ...(words && { kernelArguments: words }),
  ...config,
})

const none = fc.constant(undefined)

function keyed<T>(item: fc.Arbitrary<T>, key: keyof T & string): fc.Arbitrary<T[]> {
  return fc.uniqueArray(item, { maxLength: 5, selector: (one) => one[key] })
}

/** Leaves out undefined values. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined })

export const kernelArguments: fc.Arbitrary<c.KernelArguments> = fc.record({
  shouldExist: fc.subarray(['nosmt', 'a=1', 'rw']),
  shouldNotExist: fc.subarray(['quiet', 'console=ttyS0']),
})

const texts = ['', 'one\n', 'two lines\nand a % sign\n', 'ünï\u0000code']

const resource: fc.Arbitrary<c.Resource> = fc
  .record({
    text: fc.constantFrom(...texts),
    form: fc.constantFrom('plain', 'base64', 'gzip'),
    hash: fc.boolean(),
  })
  .map(resourceOf)

function resourceOf({
  text,
  form,
  hash,
}: {
  text: string
  form: string
  hash: boolean
}): c.Resource {
  const bytes = Buffer.from(text)
  const digest = createHash('sha512').update(bytes).digest('hex')
  const verification = hash && { verification: { hash: `sha512-${digest}` } }
  const encoded = (form === 'gzip' ? gzipSync(bytes) : bytes).toString('base64')
  const source = form === 'plain' ? `data:,${encodeURIComponent(text)}` : `data:;base64,${encoded}`
  return { source, ...(form === 'gzip' && { compression: 'gzip' }), ...verification }
}

const owner: fc.Arbitrary<c.Owner> = fc.constantFrom(
  { id: 0 },
  { id: 1000 },
  { id: 4711 },
  { name: 'core' },
  { name: 'root' },
)

/** New and existing files, with new and existing directories; some are files of the trust lane. */
const filePaths = [
  '/etc/motd',
  '/etc/a/b/c.conf',
  '/etc/a/other.conf',
  '/etc/os-release',
  '/opt/tool/run.sh',
  '/usr/local/bin/x',
  '/var/lib/x/y',
  '/home/core/notes',
  '/etc/crio/crio.conf.d/00-default',
  '/etc/kubernetes/kubelet-ca.crt',
  '/etc/docker/certs.d/registry.example:5000/ca.crt',
]

function file({ onlyManaged }: ConfigLimits): fc.Arbitrary<c.File> {
  return fc
    .record({
      path: fc.constantFrom(
        ...filePaths.filter((path) => !onlyManaged || path !== '/etc/os-release'),
      ),
      mode: optional(fc.constantFrom(0o600, 0o644, 0o755, 0o400)),
      user: optional(owner),
      group: optional(owner),
      contents: onlyManaged ? resource : optional(resource),
      append: onlyManaged ? none : optional(fc.array(resource, { maxLength: 2 })),
      overwrite: onlyManaged ? fc.constant(true) : optional(fc.boolean()),
    })
    .map(({ overwrite, ...rest }) =>
      // Ignition rejects it without a source.
      given({ ...rest, overwrite: rest.contents ? overwrite : undefined }),
    )
}

const directory: fc.Arbitrary<c.Directory> = fc
  .record({
    path: fc.constantFrom(
      '/srv/data',
      '/etc/dir',
      '/etc/dir/deep/er',
      '/home/core',
      '/etc/systemd',
    ),
    mode: optional(fc.constantFrom(0o700, 0o755, 0o711)),
    user: optional(owner),
    group: optional(owner),
  })
  .map(given)

const link: fc.Arbitrary<c.Link> = fc
  .record({
    path: fc.constantFrom('/etc/link', '/opt/new/link', '/etc/passwd'),
    target: fc.constantFrom('/etc/motd', '../somewhere', '/srv'),
    overwrite: optional(fc.boolean()),
  })
  .map(({ overwrite, ...rest }) =>
    given({ ...rest, overwrite: rest.path === '/etc/passwd' ? undefined : overwrite }),
  )

function storage(limits: ConfigLimits): fc.Arbitrary<c.Storage> {
  return fc.record({
    files: keyed(file(limits), 'path'),
    directories: limits.onlyManaged
      ? fc.constant([])
      : fc.uniqueArray(directory, { maxLength: 2, selector: ({ path }) => path }),
    links: limits.onlyManaged
      ? fc.constant([])
      : fc.uniqueArray(link, { maxLength: 1, selector: ({ path }) => path }),
  })
}

const unitTexts = [
  '',
  '[Service]\nExecStart=/bin/true\n',
  '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
  '[Service]\nExecStart=/bin/true\n[Install]\nRequiredBy=multi-user.target\nAlias=other.service\n',
]

const unit: fc.Arbitrary<c.Unit> = fc
  .record({
    name: fc.constantFrom(
      'own.service',
      'second.service',
      'crio.service',
      'sshd.service',
      'chronyd.service',
      'tpl@.service',
      'tpl@one.service',
      'tpl@two.service',
    ),
    contents: optional(fc.constantFrom(...unitTexts)),
    enabled: optional(fc.boolean()),
    mask: optional(fc.boolean()),
    dropins: optional(
      keyed(
        fc
          .record({
            name: fc.constantFrom('10-a.conf', '20-b.conf'),
            contents: optional(fc.constantFrom('', '[Unit]\nDescription=dropin\n')),
          })
          .map(given),
        'name',
      ),
    ),
  })
  // systemd cannot enable a template without an instance, an instance of a masked template, or two units with the same alias.
  .map(({ name, contents, enabled, mask, ...rest }) =>
    given({
      name,
      contents: contents?.replace('other.service', `other-${name}`),
      ...(name !== 'tpl@.service' && { enabled, mask }),
      ...rest,
    }),
  )

const keys = fc.subarray(['ssh-ed25519 AAAA one', 'ssh-ed25519 BBBB two'])
const hash = fc.constantFrom('$6$salt$hash', '*')

function passwd({ onlyManaged }: ConfigLimits): fc.Arbitrary<c.Passwd> {
  const core = fc
    .record({
      name: fc.constant('core'),
      sshAuthorizedKeys: optional(keys),
      passwordHash: optional(hash),
      groups: onlyManaged ? none : optional(fc.subarray(['wheel', 'root'])),
    })
    .map(given)
  const admin = fc
    .record({
      name: fc.constant('admin'),
      sshAuthorizedKeys: optional(keys),
      passwordHash: optional(hash),
      uid: optional(fc.constantFrom(1500, 2000)),
      groups: optional(fc.subarray(['wheel', 'made'])),
      homeDir: optional(fc.constant('/var/home/admin')),
      noCreateHome: optional(fc.boolean()),
      gecos: optional(fc.constant('An admin')),
      shell: fc.constant('/bin/bash'),
    })
    // Ignition cannot write keys into a home that does not exist and that the user cannot create.
    .map((user) => given(user.noCreateHome ? { ...user, sshAuthorizedKeys: [] } : user))
  const made = fc.record({ name: fc.constant('made'), gid: fc.constantFrom(3000, 3001) })
  const users = onlyManaged
    ? fc.oneof<fc.Arbitrary<c.User[]>[]>(fc.constant([]), fc.tuple(core))
    : fc.oneof<fc.Arbitrary<c.User[]>[]>(
        fc.constant([]),
        fc.tuple(core),
        fc.tuple(admin),
        fc.tuple(core, admin),
      )
  const groups = fc.array(made, { maxLength: onlyManaged ? 0 : 1 })
  return fc.record({ groups, users })
}
