import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Parts } from '../configs.fixture.ts'
import { defaultRules, facts, file, planned } from '../configs.fixture.ts'
import type { PlanInput } from '../model/plan-input.ts'
import type { PlanChange } from '../model/update-plan.ts'

const changes = (before: Parts, after: Parts): readonly PlanChange[] =>
  planned(before, after).changes
const kinds = (before: Parts, after: Parts): string[] =>
  changes(before, after).map(({ kind, change }) => `${kind} ${change}`)
/** Without the required actions. */
const summaries = (before: Parts, after: Parts): string[] =>
  changes(before, after).map(({ summary }) => bare(summary))
const bare = (summary: string): string =>
  summary.replace(/; (requires [^(]*|no further action )\([^(]*\)\.$/, '.')
const core = (more: object): Parts => ({ users: [{ name: 'core', ...more }] })

describe('changes', () => {
  it.each<[string, Parts, Parts, string[]]>([
    ['nothing', {}, {}, []],
    ['an image', {}, { osImageURL: 'x' }, ['osImage added']],
    ['the same layered image', { osImageURL: 'layered' }, { osImageURL: 'layered' }, []],
    [
      'another layered image',
      { osImageURL: 'layered-1' },
      { osImageURL: 'layered-2' },
      ['osImage changed'],
    ],
    ['a first layered image', { osImageURL: 'x' }, { osImageURL: 'layered' }, ['osImage changed']],
    [
      'no layered image any more',
      { osImageURL: 'layered' },
      { osImageURL: 'x' },
      ['osImage changed'],
    ],
    ['an absent and an empty list', {}, { kernelArguments: [], extensions: [] }, []],
    ['null', { kernelArguments: null }, {}, []],
    ['the default kernel by its name', {}, { kernelType: 'default' }, []],
    [
      'an additional key',
      core({ sshAuthorizedKeys: ['1'] }),
      core({ sshAuthorizedKeys: ['1', '2'] }),
      ['sshKeys changed'],
    ],
    [
      'another key',
      core({ sshAuthorizedKeys: ['1'] }),
      core({ sshAuthorizedKeys: ['2'] }),
      ['sshKeys changed'],
    ],
    [
      'a hash',
      core({ sshAuthorizedKeys: ['1'] }),
      core({ sshAuthorizedKeys: ['1'], passwordHash: 'x' }),
      ['passwordHash added'],
    ],
    [
      'another hash',
      core({ passwordHash: 'x' }),
      core({ passwordHash: 'y' }),
      ['passwordHash changed'],
    ],
    [
      'extensions in another order',
      { extensions: ['usbguard', 'kerberos'] },
      { extensions: ['kerberos', 'usbguard', 'usbguard'] },
      [],
    ],
    ['the kernel', {}, { kernelType: 'realtime' }, ['kernelType changed']],
    [
      'files in another order',
      { files: [file('/a'), file('/b')] },
      { files: [file('/b'), file('/a')] },
      [],
    ],
    ['a file', { files: [file('/a', 'x')] }, { files: [file('/a', 'y')] }, ['file changed']],
    ['a mode', { files: [file('/a')] }, { files: [file('/a', '', 0o600)] }, ['file changed']],
    [
      'explicit and implicit defaults',
      { files: [{ path: '/a' }] },
      { files: [{ ...file('/a'), overwrite: true, user: { id: 0 }, group: { name: 'root' } }] },
      [],
    ],
    [
      'an unspecified unit',
      {},
      { units: [{ name: 'a.service' }, { name: 'b.service', dropins: [{ name: 'x.conf' }] }] },
      [],
    ],
    [
      'a drop-in, and not its unit',
      { units: [{ name: 'a.service', enabled: true }] },
      {
        units: [
          { name: 'a.service', enabled: true, dropins: [{ name: 'x.conf', contents: '[Unit]\n' }] },
        ],
      },
      ['dropin added'],
    ],
    [
      'enablement of a masked unit',
      { units: [{ name: 'a.service', mask: true }] },
      { units: [{ name: 'a.service', mask: true, enabled: true, contents: '[Unit]\n' }] },
      [],
    ],
    ['mask: false is removed', { units: [{ name: 'a.service', mask: false }] }, {}, []],
  ])('%s', (_, before, after, expected) => {
    expect(kinds(before, after)).toEqual(expected)
  })

  it('ignore the encoding of contents', () => {
    const spelled = [
      { source: 'data:,hello%20world%0A' },
      { source: 'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK' },
      { source: 'data:;base64,aGVsbG8gd29ybGQK', compression: '' },
      {
        source: `data:;base64,${gzipSync('hello world\n').toString('base64')}`,
        compression: 'gzip',
      },
    ]
    for (const one of spelled) {
      for (const other of spelled) {
        const made = planned(
          { files: [{ path: '/a', contents: one }] },
          { files: [{ path: '/a', contents: other }] },
        )
        expect(made.changes).toEqual([])
        expect(made.actions.map(({ type }) => type)).toEqual(['None'])
      }
    }
  })
})

describe('summaries', () => {
  it('of files', () => {
    expect(
      summaries(
        { files: [file('/a', 'old'), file('/b')] },
        {
          files: [
            { ...file('/a', 'newer', 0o600), user: { name: 'core' }, group: { id: 5 } },
            file('/c d', 'x'),
          ],
        },
      ),
    ).toEqual([
      '/a changes: content from 3 bytes (sha256 cba06b5736fa) to 5 bytes (sha256 804f51f71254); mode from 0644 to 0600; owner from root:root to core:5.',
      '/b is removed; a file of the operating system at this path is restored.',
      '"/c d" is created: 1 byte (sha256 2d711642b726), mode 0644, owner root:root.',
    ])
  })

  it('of units', () => {
    const contents = '[Unit]\n'
    expect(
      summaries(
        {
          units: [
            { name: 'a.service', contents, enabled: true },
            { name: 'b.service', mask: true },
            { name: 'c.service', contents },
            { name: 'd.service', enabled: true, dropins: [{ name: 'x.conf', contents }] },
          ],
        },
        {
          units: [
            { name: 'a.service', contents: '[Unit]\n#\n', enabled: false },
            { name: 'b.service' },
            { name: 'c.service', mask: true },
            { name: 'd.service' },
            { name: 'e.service', contents, enabled: true },
          ],
        },
      ),
    ).toEqual([
      'unit a.service changes from 7 bytes (sha256 ae6c63cff33b) to 9 bytes (sha256 0c4b6b8ee412); is disabled.',
      'unit b.service is no longer masked.',
      'unit c.service is masked.',
      'unit d.service is enabled or disabled by the presets.',
      'unit e.service is created: 7 bytes (sha256 ae6c63cff33b); is enabled.',
      'drop-in x.conf of unit d.service is removed.',
    ])
  })

  it('of users contain no secrets', () => {
    const before = core({
      sshAuthorizedKeys: ['ssh-rsa AAAA', 'ssh-rsa BBBB'],
      passwordHash: '$6$abc',
    })
    const after = core({ sshAuthorizedKeys: ['ssh-rsa AAAA', 'ssh-rsa CCCC', 'ssh-rsa DDDD'] })
    expect(summaries(before, after)).toEqual([
      'SSH keys of core change: 2 keys added, 1 key removed, 3 in total.',
      'the password of core is locked.',
    ])
    expect(summaries(before, {})).toEqual([
      'SSH keys of core change: 2 keys removed, 0 in total.',
      'the password of core is locked, because the user is no longer in the config; the account is kept.',
    ])
    expect(JSON.stringify(planned(before, after))).not.toMatch(/AAAA|CCCC|\$6\$/)
  })

  it('of the operating system', () => {
    expect(
      summaries(
        {
          kernelType: 'realtime',
          extensions: ['usbguard'],
          osImageURL: 'a',
          kernelArguments: ['a', 'b'],
        },
        { extensions: ['kerberos'], osImageURL: 'b', kernelArguments: ['b', 'a', 'c="d e"'] },
      ),
    ).toEqual([
      'kernel arguments change: add "c=\\"d e\\""; move to the end a.',
      'the kernel changes from realtime to default.',
      'extensions change: install kerberos; uninstall usbguard.',
      'the OS image changes from a to b.',
    ])
    expect(summaries({ osImageURL: 'a' }, {})).toEqual([
      'the config no longer specifies an OS image; the node keeps its image.',
    ])
  })

  it('of an image that the node already runs, which needs no step', () => {
    const made = planned(
      { osImageURL: 'a' },
      { osImageURL: 'b' },
      { facts: { ...facts, bootedImage: 'b' } },
    )
    expect(bare(made.changes[0]!.summary)).toBe(
      'the OS image changes to b, which the node already runs.',
    )
    expect(made.steps.map((step) => step.do)).toEqual(['drain', 'store-config', 'reboot'])
  })
})

describe('required actions', () => {
  const policy = '/etc/containers/policy.json'
  const ends = (after: Parts, rules?: '4.12' | '4.16'): string[] =>
    planned({}, after, { ...(rules && { rules }) }).changes.map(({ summary }) =>
      summary.slice(summary.lastIndexOf(';') + 2),
    )

  it('are stated for each change, with the rule', () => {
    expect(
      ends({
        files: [
          file(policy),
          file('/etc/x'),
          file('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'),
        ],
        units: [{ name: 'a.service', dropins: [{ name: 'x.conf', contents: '[Unit]\n' }] }],
        ...core({ sshAuthorizedKeys: ['key'] }),
        osImageURL: 'image',
      }),
    ).toEqual([
      `requires a reload of crio.service (default policy for ${policy}).`,
      'requires a restart of coreos-update-ca-trust.service and a restart of crio.service (default policy for /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt).',
      'requires a reboot (no policy for /etc/x).',
      'requires a reboot (no policy for unit a.service).',
      'no further action (default policy for SSH keys and passwords).',
      'requires a reboot (the OS image takes effect at boot).',
    ])
  })

  it('are stated although another change requires more', () => {
    expect(ends({ files: [file(policy), file('/etc/x')] }, '4.12')).toEqual([
      `requires a reload of crio.service (the rules of 4.12 for ${policy}).`,
      'requires a reboot (the rules of 4.12 have no entry for /etc/x).',
    ])
  })

  it('are not stated if the plan is not reconcilable', () => {
    const made = planned({}, { files: [{ path: '/etc/x', append: [{ source: 'data:,' }] }] })
    expect(made.changes[0]!.summary).toMatch(/owner root:root\.$/)
  })
})

type More = Partial<Pick<PlanInput, 'rules' | 'delivery'>>

describe('certificates', () => {
  const certificates = [
    '/etc/docker/certs.d/registry/ca.crt',
    '/etc/kubernetes/kubelet-ca.crt',
    '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
    '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
  ]
  const files = certificates.map((path) => file(path, 'old'))

  it.each(['4.16', undefined] as const)(
    'are kept when configs no longer have them (%s)',
    (rules) => {
      const made = planned({ files }, {}, { ...(rules && { rules }) })
      expect(made.steps.some((step) => step.do === 'remove-file')).toBe(false)
      expect(made.changes.map(({ summary }) => bare(summary))).toEqual(
        certificates.map(
          (path) =>
            `${path} is no longer in the config but is kept: the trust lane delivers certificates.`,
        ),
      )
    },
  )

  const removed = (more: More): string[] =>
    planned({ files }, {}, more).steps.flatMap((step) =>
      step.do === 'remove-file' ? [step.path] : [],
    )

  it('of kubelet and cloud are kept with every delivery, because it may change', () => {
    const others = [certificates[0], certificates[3]]
    expect(removed({ rules: '4.12' })).toEqual(others)
    expect(removed({ rules: '4.16', delivery: 'rendered' })).toEqual(others)
    expect(removed({ delivery: 'rendered' })).toEqual(others)
    expect(removed({ rules: '4.12', delivery: 'direct' })).toEqual([])
  })

  const lanes = [
    '/etc/kubernetes/kubelet-ca.crt',
    '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
    '/etc/mco/internal-registry-pull-secret.json',
  ]
  const written = (more: More): string[] => {
    const [before, after] = ['old', 'new'].map((text) => lanes.map((path) => file(path, text)))
    return planned({ files: before! }, { files: after! }, more).steps.flatMap((step) =>
      step.do === 'write-file' ? [step.path] : [],
    )
  }

  it('are not written on an existing node, unless they are rendered', () => {
    expect(written({ rules: '4.16' })).toEqual([])
    expect(written({ rules: '4.12', delivery: 'direct' })).toEqual([])
    expect(written({ rules: '4.12' })).toEqual(lanes.slice(0, 2))
    expect(written({ delivery: 'rendered' })).toEqual(lanes.slice(0, 2))
  })

  const actionsFor = (path: string, more: More, after?: Parts): string[] => {
    const made = planned(
      { files: [file(path, 'old')] },
      after ?? { files: [file(path, 'new')] },
      more,
    )
    return made.actions.map(({ type }) => type)
  }

  it('of the kubelet require no action, under all rules and with every delivery', () => {
    for (const delivery of ['rendered', 'direct'] as const) {
      for (const rules of ['4.12', '4.16', defaultRules] as const) {
        expect(actionsFor(lanes[0]!, { rules, delivery })).toEqual(['None'])
        expect(actionsFor(lanes[0]!, { rules, delivery }, {})).toEqual(['None'])
      }
    }
  })

  it('of the cloud require a reboot if they are written, and no action if they are kept', () => {
    for (const rules of ['4.12', '4.16', defaultRules] as const) {
      expect(actionsFor(lanes[1]!, { rules, delivery: 'rendered' })).toEqual(['Reboot'])
      expect(actionsFor(lanes[1]!, { rules, delivery: 'direct' })).toEqual(['None'])
      expect(actionsFor(lanes[1]!, { rules, delivery: 'rendered' }, {})).toEqual(['None'])
    }
  })

  it('that leave configs because of another delivery require no reboot', () => {
    const rendered = [...lanes.slice(0, 2), '/etc/kubernetes/ca.crt'].map((path) => file(path, 'x'))
    for (const rules of ['4.12', '4.16', defaultRules] as const) {
      const { actions, steps } = planned({ files: rendered }, {}, { rules, delivery: 'direct' })
      expect(actions.map(({ type }) => type)).toEqual(['None'])
      expect(steps).toEqual([{ do: 'store-config' }])
    }
  })
})

describe('the origin of changes', () => {
  const after: Parts = { files: [file('/a'), file('/b')], osImageURL: 'x' }
  const sources = (more: object): (string | undefined)[] =>
    planned({}, after, more).changes.map(({ from }) => from)

  it('is the config itself', () => {
    expect(sources({})).toEqual(['new', 'new', 'new'])
  })

  it('is the provenance of the rendered config', () => {
    const provenance = { file: { '/a': '99-a' }, osImage: { '': '98-image' } }
    expect(sources({ provenance })).toEqual(['99-a', 'new', '98-image'])
  })
})

describe('notes', () => {
  it('list differences without effect', () => {
    const before: Parts = {
      config: {
        ignition: { version: '3.5.0', timeouts: { httpTotal: 5 } },
        storage: {
          links: [{ path: '/l', target: '/etc' }],
          disks: [{ device: '/dev/sda' }],
          luks: [{ name: 'a', device: '/dev/a' }],
        },
      },
    }
    expect(planned(before, {}, { overrides: ['Disks', 'Raid'] }).notes).toEqual([
      'storage.disks differs; the change applies to new nodes only.',
      'storage.luks differs; the change applies to new nodes only.',
      'storage.links is no longer in the config; existing links are kept.',
      'ignition differs; the change applies to new nodes only.',
    ])
    expect(planned({}, {})).not.toHaveProperty('notes')
  })
})
