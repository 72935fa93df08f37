import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { failure } from './files-contract.ts'
import type { OpenSubject, Subject } from './subject.ts'

const etc = '/etc/systemd/system'
const vendor = '/usr/lib/systemd/system'

/** The behavior of systemctl on disk; the expected links are those of systemd 252 for the same files. */
export function unitsContract(open: OpenSubject): void {
  let subject: Subject
  let host: Host
  beforeEach(async () => {
    subject = await open()
    host = subject.host
    await put(`${vendor}/vendor.service`, install('WantedBy=multi-user.target'))
    await put(`${etc}/own.service`, install('WantedBy=multi-user.target'))
  })
  afterEach(() => subject.close())

  const put = (path: string, content: string): Promise<void> =>
    host.files.write(path, { content: Buffer.from(content), mode: 0o644, uid: 0, gid: 0 })
  const links = async (): Promise<Record<string, string>> => {
    const found: Record<string, string> = {}
    for (const name of await host.files.list(etc)) {
      const inside = (await host.files.list(`${etc}/${name}`)).map((each) => `${name}/${each}`)
      for (const path of [name, ...inside]) {
        const entry = await host.files.stat(`${etc}/${path}`)
        // systemctl of Debian uses the old name of the vendor directory, if it exists.
        if (entry?.type === 'symlink') found[path] = entry.target.replace(/^\/lib\//, '/usr/lib/')
      }
    }
    return found
  }

  describe('enable', () => {
    it('creates the links of the [Install] section', async () => {
      await put(
        `${vendor}/many.service`,
        install(
          'WantedBy=a.target b.target',
          'RequiredBy=c.service',
          'Alias=other.service',
          'Also=own.service',
        ),
      )
      const expected = {
        'a.target.wants/many.service': `${vendor}/many.service`,
        'b.target.wants/many.service': `${vendor}/many.service`,
        'c.service.requires/many.service': `${vendor}/many.service`,
        'multi-user.target.wants/own.service': `${etc}/own.service`,
        'other.service': `${vendor}/many.service`,
      }
      await host.units.enable(['many.service'])
      expect(await links()).toEqual(expected)
      await host.units.enable(['many.service'])
      expect(await links()).toEqual(expected)
      await host.units.disable(['many.service'])
      expect(await links()).toEqual({})
      expect(await host.files.list(etc)).toEqual(['own.service'])
    })

    it('reads continued lines, comments, empty assignments and drop-ins', async () => {
      await put(
        `${vendor}/odd.service`,
        install(
          'WantedBy=gone.target',
          '# WantedBy=comment.target',
          'WantedBy=',
          'WantedBy=x.target \\',
          '  y.target',
          '[Other]',
          'WantedBy=z.target',
        ),
      )
      await host.files.makeDirectory(`${etc}/odd.service.d`, { mode: 0o755, uid: 0, gid: 0 })
      await put(`${etc}/odd.service.d/10-more.conf`, install('RequiredBy=more.target'))
      await host.units.enable(['odd.service'])
      expect(Object.keys(await links())).toEqual([
        'more.target.requires/odd.service',
        'x.target.wants/odd.service',
        'y.target.wants/odd.service',
      ])
    })

    it('supports templates and their instances', async () => {
      const template = install('WantedBy=x-%i.target', 'DefaultInstance=one')
      await put(`${vendor}/t@.service`, template)
      await host.units.enable(['t@.service', 't@two.service'])
      expect(await links()).toEqual({
        'x-one.target.wants/t@one.service': `${vendor}/t@.service`,
        'x-two.target.wants/t@two.service': `${vendor}/t@.service`,
      })
      expect(await host.units.enablement('t@two.service')).toBe('enabled')
      expect(await host.units.enablement('t@three.service')).toBe('disabled')
      await host.units.disable(['t@two.service'])
      expect(Object.keys(await links())).toEqual(['x-one.target.wants/t@one.service'])
      await host.units.disable(['t@.service'])
      expect(await links()).toEqual({})
    })

    it('keeps a link to the same unit at another path, and other links', async () => {
      await host.units.enable(['vendor.service'])
      await put(`${etc}/vendor.service`, install('WantedBy=multi-user.target'))
      await host.units.enable(['vendor.service'])
      expect(await links()).toEqual({
        'multi-user.target.wants/vendor.service': `${vendor}/vendor.service`,
      })
    })

    it('rejects units that do not exist, are masked, or whose alias exists', async () => {
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await put(`${vendor}/taker.service`, install('Alias=own.service'))
      expect(await failure(host.units.enable(['none.service']), 'none.service')).toBe('exit 1')
      expect(await failure(host.units.enable(['masked.service']), 'masked.service')).toBe('exit 1')
      expect(await failure(host.units.enable(['taker.service']), 'own.service')).toBe('exit 1')
      expect(await links()).toEqual({ 'masked.service': '/dev/null' })
    })

    it('ignores a unit without [Install], and an empty list', async () => {
      await put(`${vendor}/static.service`, '[Service]\nExecStart=/bin/true\n')
      await host.units.enable(['static.service'])
      await host.units.enable([])
      await host.units.disable([])
      await host.units.preset([])
      expect(await links()).toEqual({})
    })
  })

  describe('disable', () => {
    it('removes links of units whose files do not exist', async () => {
      await host.units.enable(['own.service', 'vendor.service'])
      await host.files.remove(`${etc}/own.service`)
      await host.units.disable(['own.service', 'never-was.service'])
      expect(Object.keys(await links())).toEqual(['multi-user.target.wants/vendor.service'])
      await host.units.disable(['own.service'])
    })

    it('removes a linked unit, and finds a unit by its alias', async () => {
      await put('/opt/linked.service', install('WantedBy=multi-user.target'))
      await host.files.link(`${etc}/linked.service`, '/opt/linked.service')
      await host.files.link(`${vendor}/alias.service`, 'vendor.service')
      await host.units.enable(['linked.service', 'alias.service'])
      expect(await links()).toEqual({
        'linked.service': '/opt/linked.service',
        'multi-user.target.wants/linked.service': '/opt/linked.service',
        'multi-user.target.wants/vendor.service': `${vendor}/vendor.service`,
      })
      await host.units.disable(['linked.service', 'alias.service'])
      expect(await links()).toEqual({})
    })

    it('keeps masks', async () => {
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.units.disable(['masked.service'])
      expect(await links()).toEqual({ 'masked.service': '/dev/null' })
    })
  })

  describe('preset', () => {
    it('applies the first matching rule in any state', async () => {
      await put(
        '/usr/lib/systemd/system-preset/10-rules.preset',
        '# disable own.service\nenable own.*\ndisable own.service\ndisable vendor.service\n',
      )
      await host.units.enable(['vendor.service'])
      await host.units.preset(['own.service', 'vendor.service'])
      expect(Object.keys(await links())).toEqual(['multi-user.target.wants/own.service'])
    })

    it('lets a file in /etc override the one of the same name in /usr', async () => {
      await put('/usr/lib/systemd/system-preset/10-x.preset', 'enable own.service\n')
      await host.files.makeDirectory('/etc/systemd/system-preset', {
        mode: 0o755,
        uid: 0,
        gid: 0,
      })
      await put('/etc/systemd/system-preset/10-x.preset', 'enable vendor.service\n')
      await host.units.preset(['own.service', 'vendor.service'])
      expect(Object.keys(await links())).toEqual(['multi-user.target.wants/vendor.service'])
    })

    it('skips units that do not exist or are masked', async () => {
      await put('/usr/lib/systemd/system-preset/10-x.preset', 'enable own.service\n')
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.units.preset(['none.service', 'masked.service', 'own.service'])
      expect(Object.keys(await links())).toContain('multi-user.target.wants/own.service')
    })
  })

  describe('enablement', () => {
    it('equals that of systemctl is-enabled', async () => {
      await put(`${vendor}/static.service`, '[Service]\n')
      await put(`${vendor}/also.service`, install('Also=own.service'))
      await put(`${etc}/empty.service`, '')
      await put('/opt/linked.service', install('WantedBy=x.target'))
      await host.files.link(`${etc}/linked.service`, '/opt/linked.service')
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.files.link(`${vendor}/alias.service`, 'vendor.service')
      await host.units.enable(['own.service'])
      const enablementOf = async (unit: string): Promise<string> =>
        host.units.enablement(`${unit}.service`)
      expect(await enablementOf('own')).toBe('enabled')
      expect(await enablementOf('vendor')).toBe('disabled')
      expect(await enablementOf('static')).toBe('static')
      expect(await enablementOf('also')).toBe('static')
      expect(await enablementOf('empty')).toBe('masked')
      expect(await enablementOf('masked')).toBe('masked')
      expect(await enablementOf('linked')).toBe('linked')
      expect(await enablementOf('alias')).toBe('alias')
      expect(await enablementOf('none')).toBe('not-found')
    })
  })

  describe('services', () => {
    it('are reloaded and restarted if they exist', async () => {
      await host.units.daemonReload()
      await host.units.reload('crio.service')
      await host.units.restart('crio.service')
      expect(await host.units.isHealthy('crio.service')).toBe(true)
      expect(await failure(host.units.restart('none.service'), 'none.service')).toBe('exit 5')
      expect(await failure(host.units.reload('none.service'), 'none.service')).toBe('exit 5')
      expect(await host.units.isHealthy('none.service')).toBe(false)
    })

    it('have a different last start after each restart', async () => {
      await host.units.restart('crio.service')
      const first = await host.units.lastStart('crio.service')
      expect([typeof first, await host.units.lastStart('crio.service')]).toEqual(['string', first])
      await host.units.restart('crio.service')
      expect(await host.units.lastStart('crio.service')).not.toBe(first)
      expect(await host.units.lastStart('none.service')).toBe(undefined)
    })
  })
}

const install = (...lines: string[]): string =>
  ['[Service]', 'ExecStart=/bin/true', '[Install]', ...lines, ''].join('\n')
