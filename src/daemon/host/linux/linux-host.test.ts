import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { HostFailure } from '../host-failure.ts'
import { MemoryFiles } from '../memory/memory-files.ts'
import { LinuxAccounts } from './linux-accounts.ts'
import { LinuxPower } from './linux-power.ts'
import { LinuxUnits } from './linux-units.ts'
import type { Command, CommandResult, CommandRunner } from './commands/runner.ts'
import { SelinuxLabels } from './selinux-labels.ts'

/** Returns prepared results, and records the commands. */
class Recorded implements CommandRunner {
  readonly ran: Command[] = []
  readonly #answers: (command: Command) => Partial<CommandResult> | undefined

  constructor(answers: (command: Command) => Partial<CommandResult> | undefined = () => ({})) {
    this.#answers = answers
  }

  get lines(): string[] {
    return this.ran.map(({ program, args }) => [program, ...args].join(' '))
  }

  async run(command: Command): Promise<CommandResult> {
    this.ran.push(command)
    const answer = this.#answers(command)
    if (!answer) throw new HostFailure(`${command.program} is not installed`, 'ENOENT')
    return { code: 0, output: '', errorLine: '', ...answer }
  }
}

async function machine(files: Record<string, string>): Promise<MemoryFiles> {
  const memory = new MemoryFiles()
  const directories = ['/etc', '/run', '/proc', '/proc/sys', '/proc/sys/kernel']
  for (const path of [...directories, '/proc/sys/kernel/random']) {
    await memory.makeDirectory(path, { mode: 0o755, uid: 0, gid: 0 })
  }
  for (const [path, text] of Object.entries(files)) {
    await memory.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
  }
  return memory
}

describe('security labels', () => {
  it('are not changed without SELinux', async () => {
    const runner = new Recorded()
    await new SelinuxLabels(runner, async () => false).apply('/f/.x.fresh', '/etc/x', 'file')
    expect(runner.lines).toEqual([])
  })

  it('come from the replaced file, otherwise from the policy', async () => {
    const runner = new Recorded(({ program }) =>
      program === 'matchpathcon' ? { output: 'system_u:object_r:etc_t:s0\n' } : {},
    )
    let looked = 0
    const labels = new SelinuxLabels(runner, async () => ++looked > 0)
    await labels.apply('/proc/7/fd/3/.x.fresh', '/etc/x', 'replacement')
    await labels.apply('/proc/7/fd/3/.y.fresh', '/etc/y', 'file')
    await labels.apply('/proc/7/fd/3/.z.fresh', '/etc/z', 'directory')
    expect(runner.lines).toEqual([
      'chcon --no-dereference --reference=/proc/7/fd/3/x -- /proc/7/fd/3/.x.fresh',
      'matchpathcon -n -m file /etc/y',
      'chcon --no-dereference -- system_u:object_r:etc_t:s0 /proc/7/fd/3/.y.fresh',
      'matchpathcon -n -m dir /etc/z',
      'chcon --no-dereference -- system_u:object_r:etc_t:s0 /proc/7/fd/3/.z.fresh',
    ])
    expect(looked).toBe(1)
  })

  it.for([{ output: '<<none>>\n' }, { code: 1 }, undefined])(
    'stay unchanged if the policy has none: %j',
    async (answer) => {
      const runner = new Recorded(() => answer)
      await new SelinuxLabels(runner, async () => true).apply('/f/.y', '/etc/y', 'file')
      expect(runner.lines).toEqual(['matchpathcon -n -m file /etc/y'])
    },
  )

  it('that cannot be set are a failure', async () => {
    const runner = new Recorded(() => ({ code: 1, errorLine: 'chcon: Permission denied' }))
    const labels = new SelinuxLabels(runner, async () => true)
    await expect(labels.apply('/f/.x', '/etc/x', 'replacement')).rejects.toThrow(
      'Permission denied',
    )
  })
})

describe('accounts', () => {
  it('come from getent if the files do not contain them', async () => {
    const line = 'core:x:1000:1000:CoreOS Admin:/var/home/core:/bin/bash\n'
    const runner = new Recorded(({ args }) =>
      args.includes('core') ? { output: line } : { code: 2 },
    )
    const accounts = new LinuxAccounts(
      await machine({ '/etc/passwd': 'root:x:0:0::/root:/bin/sh\n' }),
      runner,
    )
    expect(await accounts.user('core')).toEqual({ uid: 1000, gid: 1000, home: '/var/home/core' })
    expect(await accounts.user('root')).toMatchObject({ uid: 0 })
    expect(await accounts.user('nobody')).toBeUndefined()
    expect(runner.lines).toEqual(['getent -- passwd core', 'getent -- passwd nobody'])
  })

  it('come from the files if getent is not installed', async () => {
    const accounts = new LinuxAccounts(await machine({}), new Recorded(() => undefined))
    expect(await accounts.user('core')).toBeUndefined()
    expect(await accounts.group('core')).toBeUndefined()
  })

  it('have no password if /etc/shadow does not contain them', async () => {
    const files = await machine({
      '/etc/passwd': 'core:x:1000:1000::/home/core:/bin/sh\nold:$1$hash:1:1::/:/bin/sh\n',
    })
    const accounts = new LinuxAccounts(files, new Recorded())
    expect(await accounts.passwordHash('core')).toBe('*')
    expect(await accounts.passwordHash('old')).toBe('$1$hash')
  })

  it('never show a hash in arguments or errors', async () => {
    const files = await machine({ '/etc/shadow': 'core:*:1::::::\n' })
    const runner = new Recorded(() => ({ code: 1, errorLine: 'chpasswd: line 1: $6$secret' }))
    const failed = new LinuxAccounts(files, runner).setPasswordHash('core', '$6$secret')
    await expect(failed).rejects.toMatchObject({
      message: 'chpasswd did not set the password of user core',
    })
    expect(runner.lines).toEqual(['chpasswd -e'])
    expect(runner.ran[0]!.input).toBe('core:$6$secret\n')
  })
})

describe('units', () => {
  it('that do not exist are skipped, with old and new versions of systemctl', async () => {
    const runner = new Recorded(({ args }) => {
      if (args.includes('is-enabled')) {
        return args.includes('new.service')
          ? { code: 4, output: 'not-found\n' }
          : {
              code: 1,
              errorLine: 'Failed to get unit file state for old.service: No such file or directory',
            }
      }
      const gone = args.includes('old.service') || args.includes('new.service')
      return gone ? { code: 1, errorLine: 'does not exist' } : {}
    })
    await new LinuxUnits(runner).preset(['old.service', 'new.service', 'there.service'])
    expect(runner.lines).toEqual([
      'systemctl --root=/ preset -- old.service new.service there.service',
      'systemctl --root=/ preset -- old.service',
      'systemctl --root=/ is-enabled -- old.service',
      'systemctl --root=/ preset -- new.service',
      'systemctl --root=/ is-enabled -- new.service',
      'systemctl --root=/ preset -- there.service',
      'find /etc/systemd/system -maxdepth 1 -type d -exec sync -- {} +',
    ])
  })

  it('fail for any other reason', async () => {
    const runner = new Recorded(({ args }) =>
      args.includes('is-enabled')
        ? { output: 'enabled\n' }
        : { code: 1, errorLine: 'Read-only file system' },
    )
    await expect(new LinuxUnits(runner, '/mnt').disable(['a.service'])).rejects.toThrow(
      'systemctl --root=/mnt disable -- a.service failed (exit 1): Read-only file system',
    )
    const silent = new LinuxUnits(new Recorded(() => ({ code: 1, errorLine: 'Bad message' })))
    await expect(silent.enablement('a.service')).rejects.toThrow('Bad message')
  })

  it('for the trust store falls back to update-ca-trust', async () => {
    const unit = 'coreos-update-ca-trust.service'
    const runner = new Recorded(({ program, args }) => {
      const isBroken = program === 'systemctl' && args.includes('restart')
      return isBroken ? { code: 5, errorLine: 'Unit not found.' } : {}
    })
    const units = new LinuxUnits(runner)
    await units.restart(unit)
    expect(await units.isHealthy(unit)).toBe(true)
    expect(runner.lines).toEqual([`systemctl restart -- ${unit}`, 'update-ca-trust'])
    await expect(units.restart('crio.service')).rejects.toThrow('Unit not found.')
  })

  it('for the trust store fails if update-ca-trust fails, too, or is not installed', async () => {
    const failing = (code: number | undefined): LinuxUnits =>
      new LinuxUnits(
        new Recorded(({ program }) => {
          if (program === 'systemctl') return { code: 1, errorLine: 'no unit' }
          return code === undefined ? undefined : { code, errorLine: 'no program' }
        }),
      )
    const unit = 'coreos-update-ca-trust.service'
    await expect(failing(1).restart(unit)).rejects.toThrow('no program')
    await expect(failing(undefined).restart(unit)).rejects.toThrow('no unit')
  })

  it.for([
    '*.service',
    '',
    'a',
    'a.txt',
    '../a.service',
    'a b.service',
    'a.service\n',
    'a/b.mount',
  ])('%j is not a valid name', async (name) => {
    const runner = new Recorded()
    const units = new LinuxUnits(runner)
    await expect(units.restart(name)).rejects.toMatchObject({ code: 'EINVAL' })
    await expect(units.enable([name])).rejects.toMatchObject({ code: 'EINVAL' })
    expect(runner.lines).toEqual([])
  })
})

describe('power', () => {
  const bootIdPath = '/proc/sys/kernel/random/boot_id'

  it('reboots in a transient unit, after the finalization of the staged deployment', async () => {
    const runner = new Recorded()
    const clock = new VirtualClock(1_700_000_000_123)
    const files = await machine({ '/run/ostree-booted': '' })
    await new LinuxPower({ files, runner, clock }).reboot('a\nb\u0007 c')
    expect(runner.lines).toEqual([
      'systemd-cat --identifier=machine-config-daemon --priority=notice cat',
      'systemd-run --unit=machine-config-daemon-reboot-1700000000123 --description=machine-config-daemon: a b c --collect --no-ask-password --property=Wants=ostree-finalize-staged.service --property=After=ostree-finalize-staged.service -- systemctl reboot',
    ])
    expect(runner.ran[0]!.input).toBe('Rebooting: a b c\n')
  })

  it('does not depend on the journal, but on systemd', async () => {
    const files = await machine({})
    const clock = new VirtualClock()
    const noJournal = new Recorded(({ program }) => (program === 'systemd-cat' ? undefined : {}))
    await new LinuxPower({ files, runner: noJournal, clock }).reboot('x')
    expect(noJournal.lines).toHaveLength(2)
    const noSystemd = new Recorded(({ program }) =>
      program === 'systemd-run' ? { code: 1, errorLine: 'Failed to connect to bus' } : {},
    )
    await expect(new LinuxPower({ files, runner: noSystemd, clock }).reboot('x')).rejects.toThrow(
      'Failed to connect to bus',
    )
  })

  it('has a boot id, or fails', async () => {
    const id = '0f3ad1d1-5ab4-4e0c-8b0c-2b1d3f1e9a77'
    const power = async (text: string): Promise<string> =>
      new LinuxPower({
        files: await machine({ [bootIdPath]: text }),
        runner: new Recorded(),
        clock: new VirtualClock(),
      }).bootId()
    expect(await power(`${id}\n`)).toBe(id)
    await expect(power('')).rejects.toThrow('does not contain a boot id')
  })
})
