import { describe, expect, it } from 'vitest'
import { MemoryFiles } from '../../memory/memory-files.ts'
import type { Command, CommandResult, CommandRunner } from '../commands/runner.ts'
import { Bootc } from './bootc.ts'
import { readBootcStatus } from './bootc-status.ts'

const entry = (image: string, downloadOnly = false): unknown => ({
  image: {
    image: { image, transport: 'registry' },
    version: '41.20250101.0',
    timestamp: '2025-01-01T00:00:00Z',
    architecture: 'amd64',
    imageDigest: `sha256:${'1'.repeat(64)}`,
  },
  cachedUpdate: null,
  incompatible: false,
  pinned: false,
  softRebootCapable: false,
  downloadOnly,
  store: 'ostreeContainer',
  ostree: { stateroot: 'default', checksum: 'a'.repeat(64), deploySerial: 0 },
  composefs: null,
})

/** Prints the documented format. */
class Tool implements CommandRunner {
  readonly ran: string[] = []
  staged: string | undefined
  downloadOnly = false
  rollbackQueued = false

  async run({ program, args }: Command): Promise<CommandResult> {
    const [verb] = args
    if (verb !== 'status') this.ran.push([program, ...args].join(' '))
    // A switch to the staged image, or to the booted one if none is staged, changes nothing.
    if (verb === 'switch' && args.at(-1) !== (this.staged ?? 'quay.io/os:1')) {
      this.staged = args.at(-1)!
      this.downloadOnly = false
    }
    if (verb === 'upgrade') this.downloadOnly = false
    if (verb === 'rollback') {
      this.rollbackQueued = !this.rollbackQueued
      this.staged = undefined
    }
    return { code: 0, output: this.status(), errorLine: '' }
  }

  status(): string {
    return JSON.stringify({
      apiVersion: 'org.containers.bootc/v1',
      kind: 'BootcHost',
      metadata: { name: 'host' },
      spec: { bootOrder: 'default', image: { image: 'quay.io/os:1', transport: 'registry' } },
      status: {
        staged: this.staged === undefined ? null : entry(this.staged, this.downloadOnly),
        booted: entry('quay.io/os:1'),
        rollback: entry('quay.io/os:0'),
        rollbackQueued: this.rollbackQueued,
        type: 'bootcHost',
      },
    })
  }
}

async function machine(): Promise<[Bootc, Tool]> {
  const files = new MemoryFiles()
  await files.makeDirectory('/proc', { mode: 0o555, uid: 0, gid: 0 })
  const content = Buffer.from('BOOT_IMAGE=/x root=UUID=1 rw ostree=/ostree/boot.1/default/a/0\n')
  await files.write('/proc/cmdline', { content, mode: 0o444, uid: 0, gid: 0 })
  const tool = new Tool()
  return [new Bootc(tool, files), tool]
}

const now = {
  image: 'quay.io/os:1',
  kernelArguments: ['root=UUID=1', 'rw'],
  kernelType: 'default',
  extensions: [],
}

describe('a machine with bootc', () => {
  it('reports the booted and the staged image', async () => {
    const [os, tool] = await machine()
    expect(await os.state()).toEqual({ booted: now })
    tool.rollbackQueued = true
    expect(await os.state()).toEqual({ booted: now, staged: { ...now, image: 'quay.io/os:0' } })
  })

  it('switches to another image, and back', async () => {
    const [os, tool] = await machine()
    await os.stage({ ...now, image: 'docker://quay.io/os:2' })
    expect(await os.state()).toEqual({ booted: now, staged: { ...now, image: 'quay.io/os:2' } })
    await os.stage({ ...now, image: 'quay.io/os:2' })
    await os.stage(now)
    expect(await os.state()).toEqual({ booted: now })
    expect(tool.ran).toEqual([
      'bootc switch --quiet quay.io/os:2',
      'bootc switch --quiet quay.io/os:1',
    ])
  })

  it('cancels a queued rollback', async () => {
    const [os, tool] = await machine()
    tool.rollbackQueued = true
    await os.stage(now)
    expect(tool.ran).toEqual(['bootc rollback'])
    expect(await os.state()).toEqual({ booted: now })
  })

  it('boots the staged image, even if a rollback was queued before', async () => {
    const [os, tool] = await machine()
    tool.rollbackQueued = true
    await os.stage({ ...now, image: 'quay.io/os:2' })
    expect(tool.ran).toEqual(['bootc switch --quiet quay.io/os:2'])
    expect(await os.state()).toEqual({ booted: now, staged: { ...now, image: 'quay.io/os:2' } })
  })

  it('ignores an image that is only downloaded', async () => {
    const [os, tool] = await machine()
    tool.staged = 'quay.io/os:2'
    tool.downloadOnly = true
    expect(await os.state()).toEqual({ booted: now })
    await os.stage({ ...now, image: 'quay.io/os:2' })
    expect(tool.ran).toEqual(['bootc upgrade --from-downloaded'])
    expect(await os.state()).toEqual({ booted: now, staged: { ...now, image: 'quay.io/os:2' } })
  })

  it('cannot change parts of the image', async () => {
    const [os, tool] = await machine()
    const desired = { ...now, kernelArguments: ['rw', 'nosmt'], extensions: ['usbguard'] }
    await expect(os.stage(desired)).rejects.toMatchObject({
      code: 'ENOTSUP',
      message:
        'cannot change kernel arguments "root=UUID=1 rw" instead of "rw nosmt", extensions "" instead of "usbguard": with bootc they are part of the image (/usr/lib/bootc/kargs.d, packages)',
    })
    expect(tool.ran).toEqual([])
  })
})

describe('bootc status', () => {
  it('of a machine without bootc has no images', () => {
    const empty =
      '{"apiVersion":"org.containers.bootc/v1","kind":"BootcHost","metadata":{"name":"host"},"spec":{"image":null,"bootOrder":"default"},"status":{"staged":null,"booted":null,"rollback":null,"rollbackQueued":false,"type":null}}'
    expect(readBootcStatus(empty)).toEqual({ rollbackQueued: false })
  })

  it.for(['null', '3', '{}', '{"status":[]}'])('%s has no images', (text) => {
    expect(readBootcStatus(text)).toEqual({ rollbackQueued: false })
  })

  it.for(['', '['])('%j is invalid', (text) => {
    expect(() => readBootcStatus(text)).toThrow('is not JSON')
  })
})
