import { spawnSync } from 'node:child_process'
import { lchown, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { openSandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import type { Subject } from './subject.ts'

export async function memorySubject(): Promise<Subject> {
  const host = new MemoryHost()
  return {
    host,
    async reboot() {
      await host.power.down
      await host.boot()
      return host
    },
    async addPipe(path) {
      host.files.seed(path, { type: 'other' })
    },
    async addLink(path, target, owner) {
      host.files.seed(path, { type: 'symlink', target, uid: owner, gid: owner })
    },
    close: () => Promise.resolve(),
  }
}

/** As root, or as the user who runs the tests. */
export async function sandboxSubject(plainLinks: boolean): Promise<Subject> {
  const root = await mkdtemp(join(tmpdir(), 'machinist-sandbox-'))
  const clock = new VirtualClock()
  const host = await openSandbox({ root, clock, plainLinks })
  return {
    host,
    async reboot() {
      await host.power.down
      return openSandbox({ root, clock, plainLinks })
    },
    async addPipe(path) {
      const { status } = spawnSync('mkfifo', [`${root}${path}`])
      if (status !== 0) throw new Error(`mkfifo ${path} failed`)
    },
    ...(process.geteuid?.() === 0 && {
      async addLink(path: string, target: string, owner: number) {
        await symlink(target, `${root}${path}`)
        await lchown(`${root}${path}`, owner, owner)
      },
    }),
    close: () => rm(root, { recursive: true, force: true }),
  }
}
