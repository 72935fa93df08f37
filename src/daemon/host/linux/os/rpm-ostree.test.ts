import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OsDeployment } from '../../host.ts'
import { MemoryFiles } from '../../memory/memory-files.ts'
import { booted, SimulatedRunner } from './rpm-ostree-simulator.fixture.ts'
import { RpmOstree } from './rpm-ostree.ts'
import { readRpmOstreeStatus } from './rpm-ostree-status.ts'

const image = (name: string): string => `quay.io/os/${name}`

const plain: OsDeployment = {
  image: image('v1'),
  kernelArguments: ['rw', 'console=tty0', 'console=ttyS0'],
  kernelType: 'default',
  extensions: [],
}

function machine(packages: string[] = [], removed: string[] = []): [RpmOstree, SimulatedRunner] {
  const { image: from, kernelArguments } = plain
  const runner = new SimulatedRunner({
    deployments: [{ image: from!, kernelArguments, packages, removed, booted: true }],
  })
  return [new RpmOstree(runner, new MemoryFiles()), runner]
}

describe('the state of a machine with rpm-ostree', () => {
  it('is the booted and the staged deployment', async () => {
    const [os, runner] = machine(['usbguard', 'vim'])
    const now = { ...plain, extensions: ['usbguard'] }
    expect(await os.state()).toEqual({ booted: now })
    await runner.run({ program: 'rpm-ostree', args: ['kargs', '--append=nosmt'] })
    expect(await os.state()).toEqual({
      booted: now,
      staged: { ...now, kernelArguments: [...plain.kernelArguments, 'nosmt'] },
    })
  })

  it('accepts the smaller package set of an extension in earlier releases', async () => {
    const [os] = machine(['libreswan', 'NetworkManager-libreswan'])
    expect((await os.state()).booted.extensions).toEqual(['ipsec'])
  })
})

describe('packages beside the image', () => {
  const usual = ['kernel', 'kernel-core', 'kernel-modules', 'kernel-modules-extra']

  it.for<[string, string[], string[], string[]]>([
    ['extensions', ['usbguard', 'krb5-workstation', 'libkadm5'], [], []],
    ['another kernel', ['kernel-rt-core', 'kernel-rt-kvm'], usual, []],
    ['packages of an administrator', ['vim', 'usbguard'], ['nano'], ['vim', 'nano']],
    [
      'a kernel that was removed without a replacement',
      ['usbguard'],
      ['kernel-core'],
      ['kernel-core'],
    ],
  ])('%s', async ([, packages, removed, foreign]) => {
    expect(await machine(packages, removed)[0].foreignPackages()).toEqual(foreign)
  })

  it('include packages from files and replaced packages', () => {
    const entry = {
      booted: true,
      'requested-local-packages': ['a-1-1.x86_64'],
      'requested-local-fileoverride-packages': ['b-1-1.x86_64'],
      'requested-base-local-replacements': ['c-1-1.x86_64'],
      'requested-base-remote-replacements': [['repo=x', ['d']]],
    }
    const [found] = readRpmOstreeStatus(JSON.stringify({ deployments: [entry] }))
    expect(found?.replaced).toEqual(['a-1-1.x86_64', 'b-1-1.x86_64', 'c-1-1.x86_64', 'd'])
  })

  it('and the previous deployment is removed, if there is one', async () => {
    const [os, runner] = machine()
    await os.dropRollback()
    expect(runner.ran).toEqual([])
    await os.stage({ ...plain, image: image('v2') })
    runner.state = booted(runner.state)
    await os.dropRollback()
    await os.dropRollback()
    expect(runner.ran.slice(1)).toEqual(['cleanup --rollback'])
    expect(await os.state()).toEqual({ booted: { ...plain, image: image('v2') } })
  })
})

describe('the registry credentials', () => {
  const auth = '/run/ostree/auth.json'
  const kubelets = '/var/lib/kubelet/config.json'
  const merged = '/etc/mco/internal-registry-pull-secret.json'

  async function linked(contents: Readonly<Record<string, string>>): Promise<unknown> {
    const files = new MemoryFiles()
    const directory = { mode: 0o755, uid: 0, gid: 0 }
    const parents = ['/run', '/run/ostree', '/var', '/var/lib', '/var/lib/kubelet', '/etc']
    for (const path of [...parents, '/etc/mco']) await files.makeDirectory(path, directory)
    for (const [path, text] of Object.entries(contents)) {
      await files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
    }
    const runner = new SimulatedRunner(machine()[1].state)
    await new RpmOstree(runner, files).stage({ ...plain, image: image('v2') })
    const there = await files.stat(auth)
    return there?.type === 'symlink' ? there.target : there?.type
  }

  it.for<[string, Record<string, string>, string | undefined]>([
    ['are those of the kubelet', { [kubelets]: '{}' }, kubelets],
    ['are the merged ones of the cluster', { [kubelets]: '{}', [merged]: '{}' }, merged],
    ['are not a damaged file', { [kubelets]: '{}', [merged]: '{"auths":' }, kubelets],
    ["with somebody's own file", { [kubelets]: '{}', [auth]: '{}' }, 'file'],
    ['with nothing', {}, undefined],
  ])('%s', async ([, contents, target]) => {
    expect(await linked(contents)).toBe(target)
  })
})

describe('staging with rpm-ostree', () => {
  it('ignores a deployment with locked finalization', async () => {
    const [os, runner] = machine()
    const held = { ...runner.state.deployments[0]!, image: image('v2'), booted: false }
    runner.state = { deployments: [{ ...held, locked: true }, ...runner.state.deployments] }
    expect(await os.state()).toEqual({ booted: plain })
    await os.stage({ ...plain, image: image('v2') })
    expect(runner.ran).toEqual([
      'cleanup --pending',
      `rebase --experimental ostree-unverified-registry:${image('v2')}`,
    ])
  })

  it.for<[string, Partial<OsDeployment>, string[]]>([
    ['nothing new', {}, []],
    [
      'a new image',
      { image: image('v2') },
      [`rebase --experimental ostree-unverified-registry:${image('v2')}`],
    ],
    ['the same image with another prefix', { image: `docker://${image('v1')}` }, []],
    [
      'kernel arguments',
      { kernelArguments: ['rw', 'console=ttyS0', 'nosmt'] },
      ['kargs --delete-if-present=console=tty0 --append=nosmt'],
    ],
    [
      'kernel arguments in another order',
      { kernelArguments: ['rw', 'console=ttyS0', 'console=tty0'] },
      ['kargs --delete-if-present=console=tty0 --append=console=tty0'],
    ],
    [
      'another kernel',
      { kernelType: 'realtime' },
      [
        'override remove kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --install=kernel-rt-core --install=kernel-rt-modules --install=kernel-rt-modules-extra',
      ],
    ],
    [
      'another kernel on an image that lacks a package',
      { kernelType: '64k-pages', image: image('el8') },
      [
        `rebase --experimental ostree-unverified-registry:${image('el8')}`,
        'override remove kernel kernel-core kernel-modules kernel-modules-extra --install=kernel-64k-core --install=kernel-64k-modules --install=kernel-64k-modules-core --install=kernel-64k-modules-extra',
      ],
    ],
    [
      'extensions',
      { extensions: ['kerberos', 'usbguard'] },
      ['install krb5-workstation libkadm5 usbguard'],
    ],
  ])('%s', async ([, changes, commands]) => {
    const [os, runner] = machine()
    const desired = { ...plain, ...changes }
    await os.stage(desired)
    expect(runner.ran).toEqual(commands)
    runner.state = booted(runner.state)
    const image = desired.image!.replace('docker://', '')
    expect(await os.state()).toEqual({ booted: { ...desired, image } })
  })

  const realtime = ['kernel-rt-core', 'kernel-rt-modules', 'kernel-rt-modules-extra']
  const usual = [
    'kernel',
    'kernel-core',
    'kernel-modules',
    'kernel-modules-core',
    'kernel-modules-extra',
  ]

  it('restores the default kernel before a rebase, and replaces it afterwards', async () => {
    const [os, runner] = machine([...realtime, 'vim', 'usbguard'], usual)
    await os.stage({
      ...plain,
      image: image('v2'),
      kernelType: 'realtime',
      extensions: ['usbguard'],
    })
    expect(runner.ran).toEqual([
      'override reset kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --uninstall=kernel-rt-core --uninstall=kernel-rt-modules --uninstall=kernel-rt-modules-extra',
      `rebase --experimental ostree-unverified-registry:${image('v2')}`,
      'override remove kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --install=kernel-rt-core --install=kernel-rt-modules --install=kernel-rt-modules-extra',
    ])
  })

  it('restores the default kernel, and keeps packages of an administrator', async () => {
    const [os, runner] = machine([...realtime, 'vim', 'usbguard', 'sysstat'], usual)
    await os.stage({ ...plain, extensions: ['sysstat'] })
    expect(runner.ran).toEqual([
      'override reset kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --uninstall=kernel-rt-core --uninstall=kernel-rt-modules --uninstall=kernel-rt-modules-extra',
      'uninstall usbguard',
    ])
    expect(runner.state.deployments[0]).toMatchObject({ packages: ['vim', 'sysstat'], removed: [] })
  })

  it('replaces the staged deployment, and drops it when the booted one is requested', async () => {
    const [os, runner] = machine()
    await os.stage({ ...plain, image: image('v2') })
    await os.stage({ ...plain, image: image('v3'), extensions: ['usbguard'] })
    expect(runner.ran.slice(1)).toEqual([
      'cleanup --pending',
      `rebase --experimental ostree-unverified-registry:${image('v3')}`,
      'install usbguard',
    ])
    await os.stage(plain)
    expect(runner.ran.at(-1)).toBe('cleanup --pending')
    expect(await os.state()).toEqual({ booted: plain })
  })

  it.for(['kargs', 'install', 'rebase', 'override'])(
    'leaves no partial deployment if %s fails',
    async (verb) => {
      const [os, runner] = machine()
      runner.breaks = `rpm-ostree ${verb} `
      // Not the commands that only read.
      if (verb === 'kargs') runner.breaks += '--a'
      const desired = {
        image: image('v2'),
        kernelArguments: [...plain.kernelArguments, 'nosmt'],
        kernelType: 'realtime',
        extensions: ['usbguard'],
      }
      await expect(os.stage(desired)).rejects.toMatchObject({
        name: 'HostFailure',
        code: 'exit 1',
        message: expect.stringMatching(
          new RegExp(
            `^rpm-ostree ${verb} .* failed \\(exit 1\\): error: Bus owner changed, aborting\\.$`,
          ),
        ),
      })
      expect(await os.state()).toEqual({ booted: plain })
      await os.stage(desired)
      expect(await os.state()).toEqual({ booted: plain, staged: desired })
    },
  )

  it('refuses an unknown extension or kernel, before or during staging', async () => {
    const [os] = machine()
    await expect(os.stage({ ...plain, extensions: ['nonsense'] })).rejects.toThrow(
      'unknown extension "nonsense"',
    )
    await expect(os.stage({ ...plain, kernelType: 'small' })).rejects.toThrow(
      'unknown kernel type "small"',
    )
    expect(await os.state()).toEqual({ booted: plain })
  })

  it('verifies the result of the tool', async () => {
    const [os, runner] = machine()
    const run = runner.run.bind(runner)
    runner.run = (command) =>
      run(command.args[0] === 'install' ? { ...command, args: ['cleanup'] } : command)
    await expect(os.stage({ ...plain, extensions: ['usbguard'] })).rejects.toThrow(
      'rpm-ostree staged another deployment: the next boot would have extensions "" instead of "usbguard"',
    )
  })

  it('reaches any deployment from any other', async () => {
    const deployment = fc.record({
      image: fc.constantFrom(image('v1'), image('v2'), image('el8')),
      kernelArguments: fc.array(fc.constantFrom('rw', 'nosmt', 'a=1', 'a=2', 'b="x y"'), {
        maxLength: 6,
      }),
      kernelType: fc.constantFrom('default', 'realtime', '64k-pages'),
      extensions: fc
        .subarray(['ipsec', 'kerberos', 'sysstat', 'usbguard', 'wasm'])
        .map((names) => names.toSorted()),
    })
    const boots = fc.array(fc.tuple(deployment, fc.boolean()), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(boots, async (steps) => {
        const [os, runner] = machine(['vim'])
        for (const [desired, boot] of steps) {
          await os.stage(desired)
          const { booted: now, staged } = await os.state()
          expect(staged ?? now).toEqual(desired)
          if (boot) runner.state = booted(runner.state)
        }
        expect(runner.state.deployments[0]!.packages).toContain('vim')
      }),
      { numRuns: 100 },
    )
  })
})
