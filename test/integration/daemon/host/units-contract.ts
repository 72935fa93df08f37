import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { failure } from './files-contract.ts'
import type { OpenSubject, Subject } from './subject.ts'

const etc = '/etc/systemd/system'
const vendor = '/usr/lib/systemd/system'

/** What systemctl does on disk; the expected links are what systemd 252 made of the same files. */
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
        const entry = await host.files.look(`${etc}/${path}`)
        // Debian's systemctl still calls the vendor's directory by its old name, where there is one.
        if (entry?.type === 'symlink') found[path] = entry.target.replace(/^\/lib\//, '/usr/lib/')
      }
    }
    return found
  }

  describe('enable', () => {
    it('makes the links that the [Install] section wants', async () => {
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

    it('knows templates and their instances', async () => {
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

    it('keeps a link to the same unit elsewhere, and is in nobody’s way', async () => {
      await host.units.enable(['vendor.service'])
      await put(`${etc}/vendor.service`, install('WantedBy=multi-user.target'))
      await host.units.enable(['vendor.service'])
      expect(await links()).toEqual({
        'multi-user.target.wants/vendor.service': `${vendor}/vendor.service`,
      })
    })

    it('refuses units that are not there, are masked, or whose alias is taken', async () => {
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await put(`${vendor}/taker.service`, install('Alias=own.service'))
      expect(await failure(host.units.enable(['none.service']), 'none.service')).toBe('exit 1')
      expect(await failure(host.units.enable(['masked.service']), 'masked.service')).toBe('exit 1')
      expect(await failure(host.units.enable(['taker.service']), 'own.service')).toBe('exit 1')
      expect(await links()).toEqual({ 'masked.service': '/dev/null' })
    })

    it('does nothing to a unit without [Install], and nothing for no units', async () => {
      await put(`${vendor}/static.service`, '[Service]\nExecStart=/bin/true\n')
      await host.units.enable(['static.service'])
      await host.units.enable([])
      await host.units.disable([])
      await host.units.preset([])
      expect(await links()).toEqual({})
    })
  })

  describe('disable', () => {
    it('removes links of units whose files are gone', async () => {
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

    it('leaves masks alone', async () => {
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.units.disable(['masked.service'])
      expect(await links()).toEqual({ 'masked.service': '/dev/null' })
    })
  })

  describe('preset', () => {
    it('takes the first rule that fits, whatever the state was', async () => {
      await put(
        '/usr/lib/systemd/system-preset/10-rules.preset',
        '# disable own.service\nenable own.*\ndisable own.service\ndisable vendor.service\n',
      )
      await host.units.enable(['vendor.service'])
      await host.units.preset(['own.service', 'vendor.service'])
      expect(Object.keys(await links())).toEqual(['multi-user.target.wants/own.service'])
    })

    it('lets a file in /etc hide the one of the same name in /usr', async () => {
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

    it('passes over units that are not there or are masked', async () => {
      await put('/usr/lib/systemd/system-preset/10-x.preset', 'enable own.service\n')
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.units.preset(['none.service', 'masked.service', 'own.service'])
      expect(Object.keys(await links())).toContain('multi-user.target.wants/own.service')
    })
  })

  describe('enablement', () => {
    it('is what systemctl is-enabled says', async () => {
      await put(`${vendor}/static.service`, '[Service]\n')
      await put(`${vendor}/also.service`, install('Also=own.service'))
      await put(`${etc}/empty.service`, '')
      await put('/opt/linked.service', install('WantedBy=x.target'))
      await host.files.link(`${etc}/linked.service`, '/opt/linked.service')
      await host.files.link(`${etc}/masked.service`, '/dev/null')
      await host.files.link(`${vendor}/alias.service`, 'vendor.service')
      await host.units.enable(['own.service'])
      const said = async (unit: string): Promise<string> => host.units.enablement(`${unit}.service`)
      expect(await said('own')).toBe('enabled')
      expect(await said('vendor')).toBe('disabled')
      expect(await said('static')).toBe('static')
      expect(await said('also')).toBe('static')
      expect(await said('empty')).toBe('masked')
      expect(await said('masked')).toBe('masked')
      expect(await said('linked')).toBe('linked')
      expect(await said('alias')).toBe('alias')
      expect(await said('none')).toBe('not-found')
    })
  })

  describe('services', () => {
    it('are reloaded and restarted if they are there', async () => {
      await host.units.daemonReload()
      await host.units.reload('crio.service')
      await host.units.restart('crio.service')
      expect(await host.units.healthy('crio.service')).toBe(true)
      expect(await failure(host.units.restart('none.service'), 'none.service')).toBe('exit 5')
      expect(await failure(host.units.reload('none.service'), 'none.service')).toBe('exit 5')
      expect(await host.units.healthy('none.service')).toBe(false)
    })

    it('have another start after each restart', async () => {
      await host.units.restart('crio.service')
      const first = await host.units.started('crio.service')
      expect([typeof first, await host.units.started('crio.service')]).toEqual(['string', first])
      await host.units.restart('crio.service')
      expect(await host.units.started('crio.service')).not.toBe(first)
      expect(await host.units.started('none.service')).toBe(undefined)
    })
  })
}

const install = (...lines: string[]): string =>
  ['[Service]', 'ExecStart=/bin/true', '[Install]', ...lines, ''].join('\n')
