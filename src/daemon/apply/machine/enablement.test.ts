import { describe, expect, it } from 'vitest'
import { treeOf } from '../machine.fixture.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import { getEnablement, unitLinks, restoreEnablement } from './enablement.ts'

const system = '/etc/systemd/system'
const owner = { uid: 0, gid: 0 }

async function machine(): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.units.enable(['crio.service', 'sshd.service'])
  await host.files.link(`${system}/alias.service`, '/usr/lib/systemd/system/crio.service')
  await host.files.link(`${system}/chronyd.service`, '/dev/null')
  await host.files.makeDirectory(`${system}/odd.target.requires`, { mode: 0o700, uid: 1, gid: 2 })
  return host
}

describe('the enablement of units', () => {
  it('is read from the links', async () => {
    const { files } = await machine()
    expect(await getEnablement(files)).toEqual({
      directories: [
        { path: `${system}/multi-user.target.wants`, mode: 0o755, ...owner },
        { path: `${system}/odd.target.requires`, mode: 0o700, uid: 1, gid: 2 },
      ],
      links: {
        [`${system}/alias.service`]: '/usr/lib/systemd/system/crio.service',
        [`${system}/chronyd.service`]: '/dev/null',
        [`${system}/multi-user.target.wants/crio.service`]: '/usr/lib/systemd/system/crio.service',
        [`${system}/multi-user.target.wants/sshd.service`]: '/usr/lib/systemd/system/sshd.service',
      },
    })
  })

  it('is restored exactly after any change', async () => {
    const { files, units } = await machine()
    const [before, tree] = [await getEnablement(files), await treeOf(files)]
    await units.disable(['crio.service', 'sshd.service'])
    await units.enable(['kubelet.service'])
    await files.link(`${system}/chronyd.service`, '/usr/lib/systemd/system/chronyd.service')
    await files.remove(`${system}/alias.service`)
    await files.removeDirectory(`${system}/odd.target.requires`)
    await files.makeDirectory(`${system}/new.target.wants`, { mode: 0o755, ...owner })
    await files.link(`${system}/new.target.wants/kubelet.service`, '/x')
    await restoreEnablement(files, before)
    expect(await treeOf(files)).toEqual(tree)
  })

  it('is restored without removing files and directories that are not empty', async () => {
    const { files } = await machine()
    const before = await getEnablement(files)
    await files.makeDirectory(`${system}/crio.service.d`, { mode: 0o755, ...owner })
    const dropin = { content: Buffer.from('x'), mode: 0o644, ...owner }
    await files.write(`${system}/crio.service.d/10.conf`, dropin)
    await restoreEnablement(files, before)
    expect(await files.list(`${system}/crio.service.d`)).toEqual(['10.conf'])
  })
})

describe('the links of a unit', () => {
  const links = {
    [`${system}/a.service`]: '/dev/null',
    [`${system}/alias.service`]: '/usr/lib/systemd/system/a.service',
    [`${system}/b.service.d/a.service`]: '/somewhere/else',
    [`${system}/multi-user.target.wants/a.service`]: '/usr/lib/systemd/system/a.service',
    [`${system}/x.target.requires/a.service`]: '../a.service',
    [`${system}/x.target.upholds/ba.service`]: '../ba.service',
    [`${system}/getty.target.wants/getty@tty1.service`]: '/usr/lib/systemd/system/getty@.service',
  }

  it.each([
    [
      'a.service',
      ['alias.service', 'multi-user.target.wants/a.service', 'x.target.requires/a.service'],
    ],
    ['getty@.service', ['getty.target.wants/getty@tty1.service']],
    ['getty@tty1.service', ['getty.target.wants/getty@tty1.service']],
    ['getty@tty2.service', []],
    ['alias.service', []],
  ])('%s: %j', (unit, expected) => {
    const paths = expected.map((path) => `${system}/${path}`)
    expect(unitLinks(unit, { directories: [], links })).toEqual(paths)
  })
})
