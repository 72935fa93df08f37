import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { seededRandom } from '@machinist/core/random'
import { until } from '@machinist/testing/until'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import { DriftWatch } from '../../../../src/daemon/drift/drift-watch.ts'
import { CertificateFiles } from '../../../../src/daemon/trust/view/certificate-files.ts'
import { DriftExceptions } from '../../../../src/daemon/drift/exceptions.ts'
import type { Sandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import { openSandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import { findDifferences } from '../../../../src/daemon/verify/differences.ts'

/** MCO's own cases, on a real file system with real watches. */
const packed = gzipSync('packed').toString('base64')
const watched: MachineConfig = {
  metadata: { name: 'watched' },
  spec: {
    config: {
      ignition: { version: '3.4.0' },
      storage: {
        files: [
          { path: '/etc/a-config-file', mode: 0o644, contents: { source: 'data:,plain' } },
          {
            path: '/etc/a-packed-file',
            mode: 0o644,
            contents: { source: `data:;base64,${packed}`, compression: 'gzip' },
          },
        ],
      },
      systemd: {
        units: [
          {
            name: 'unit.service',
            contents: '[Unit]\n',
            dropins: [{ name: '10-full.conf', contents: '[Service]\n' }, { name: '20-empty.conf' }],
          },
          { name: 'masked.service', mask: true, contents: '[Unit]\n' },
        ],
      },
    },
  },
}

const units = '/etc/systemd/system'
const onDisk: Readonly<Record<string, string>> = {
  '/etc/a-config-file': 'plain',
  '/etc/a-packed-file': 'packed',
  [`${units}/unit.service`]: '[Unit]\n',
  [`${units}/unit.service.d/10-full.conf`]: '[Service]\n',
}
const kinds: Readonly<Record<string, string>> = {
  '/etc/a-config-file': 'file',
  '/etc/a-packed-file': 'file',
  [`${units}/unit.service`]: 'unit',
  [`${units}/unit.service.d/10-full.conf`]: 'dropin',
}

const changes: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'content change': (path) => writeFile(path, 'something else'),
  'rename away': (path) => rename(path, `${path}.away`),
  delete: (path) => rm(path),
  'atomic overwrite': async (path) => {
    await writeFile(`${path}.new`, 'something else')
    await rename(`${path}.new`, path)
  },
  'chmod 0755': (path) => chmod(path, 0o755),
}

let root: string
let host: Sandbox
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'machinist-drift-'))
  host = await openSandbox({ root, clock: systemClock, plainLinks: true })
  for (const path of Object.keys(onDisk)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await restore(path)
  }
  await symlink('/dev/null', join(root, units, 'masked.service'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function restore(path: string): Promise<void> {
  await writeFile(join(root, path), onDisk[path]!)
  await chmod(join(root, path), 0o644)
}

async function found(): Promise<string[]> {
  const all = await findDifferences(host, watched, { os: false })
  return all.map(({ kind, at }) => `${kind} ${at}`)
}

/** Runs the action, and returns whether the watch noticed it. */
async function noticed(change: () => Promise<void>): Promise<void> {
  let isTold = false
  const watch = new DriftWatch({
    files: host.files,
    clock: systemClock,
    random: seededRandom(1),
    exceptions: new DriftExceptions(
      [],
      new CertificateFiles(host.files, { delivery: 'direct', at: () => undefined }),
    ),
    changed: () => (isTold = true),
    forced: () => {},
  })
  watch.arm(watched)
  try {
    await change()
    await until('the watch notices', () => isTold)
  } finally {
    watch.pause()
  }
}

// Modes and owners in a sandbox depend on the user who runs it.
describe.skipIf(process.getuid?.() !== 0)('drift on a real disk', () => {
  it('does not exist at first, nor for a mask with contents or a drop-in without contents', async () => {
    expect(await found()).toEqual([])
  })

  const cases = Object.keys(kinds).flatMap((path) =>
    Object.keys(changes).map((change) => [path, change] as const),
  )
  it.each(cases)('%s: %s', async (path, change) => {
    await noticed(() => changes[change]!(join(root, path)))
    expect(await found()).toEqual([`${kinds[path]} ${path}`])
    await restore(path)
    expect(await found()).toEqual([])
  })

  it.each(Object.keys(kinds))('%s: touched is not changed', async (path) => {
    await utimes(join(root, path), 1, 1)
    expect(await found()).toEqual([])
  })
})
