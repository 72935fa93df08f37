import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { KubeClient } from '@machinist/kube/client/client'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import { Faults, faultyHost } from '../../../../src/daemon/host/faults.fixture.ts'
import { config, quietFile } from '../follow/facts.ts'
import { clientOf } from './api.ts'
import type { Machine } from './machine.ts'
import { RecordingTransport } from './recording-transport.ts'
import { scene } from './scene.ts'

const cluster = scene()

const secrets = {
  pull: 'TOPSECRET-pull-0b5e',
  key: 'TOPSECRET-key-77aa',
  hash: '$6$TOPSECRET$hash91c2',
  unit: 'TOPSECRET-unit-4d4d',
  byHand: 'TOPSECRET-hand-e0e0',
  url: 'TOPSECRET-url-1a1a',
  state: 'TOPSECRET-state-2b2b',
}

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

interface Parts {
  readonly files?: readonly object[]
  readonly units?: readonly object[]
  readonly users?: readonly object[]
}

function secret(name: string, { files = [], units = [], users = [] }: Parts): MachineConfig {
  const made = config(name, { [quietFile]: secrets.pull })
  const known = made.spec!.config as { storage: { files: object[] } }
  return {
    ...made,
    spec: {
      config: {
        ...known,
        storage: { files: [...known.storage.files, ...files] },
        systemd: { units },
        passwd: { users },
      },
    },
  }
}

const key = '/etc/machine-config-daemon/no-reboot/containers-gpg.pub'
const file = (path: string, source: string, more: object = {}): object => ({
  path,
  mode: 0o600,
  contents: { source, ...more },
})

/** Invalid configs, and the reason on the Node. */
const bad: Readonly<Record<string, readonly [Parts, RegExp]>> = {
  'no base64': [{ files: [file('/etc/a', `data:;base64,${secrets.key}!`)] }, /files\[1\]|\/etc\/a/],
  'no gzip': [
    { files: [file('/etc/a', `data:,${secrets.key}`, { compression: 'gzip' })] },
    /files\[1\]|\/etc\/a/,
  ],
  'another hash': [
    {
      files: [
        file('/etc/a', `data:,${secrets.key}`, {
          verification: { hash: `sha256-${'0'.repeat(64)}` },
        }),
      ],
    },
    /files\[1\]|\/etc\/a/,
  ],
  'a URL with a password': [
    { files: [file('/etc/a', `https://user:${secrets.url}@example.com/a?token=${secrets.url}`)] },
    /files\[1\]|\/etc\/a/,
  ],
  'a unit that cannot be read': [
    { units: [{ name: 'a.service', contents: `[Service\nEnvironment=TOKEN=${secrets.unit}\n` }] },
    /units\[0\]|a\.service/,
  ],
  'a user that is not known': [
    { users: [{ name: 'eve', passwordHash: secrets.hash, sshAuthorizedKeys: [secrets.key] }] },
    /user/,
  ],
  'a hash that is none': [
    { users: [{ name: 'core', passwordHash: `${secrets.hash}:0:0\n` }] },
    /password/,
  ],
}

describe('secrets', { timeout: 120_000 }, () => {
  it('are only on the disk, whatever fails', async () => {
    const lines: string[] = []
    const log = createLogger({
      clock: systemClock,
      write: (line) => lines.push(line),
      level: 'debug',
    })
    const { transport, close } = await clientOf(cluster.api.kubeconfig)
    const recorded = new RecordingTransport(transport)
    const client = new KubeClient({ transport: recorded, clock: systemClock, logger: log })
    const node = cluster.machine('discreet', { client, log })
    try {
      await applied(node)
      await refused(node)
      await failed(node)
      await drifted(node)
      await damaged(node)
      await node.stop()
    } finally {
      close()
    }
    const reported = [
      ...lines,
      ...recorded.asked.map(({ path, body }) => `${path} ${body}`),
      ...(await node.events()),
      node.metrics.text(),
      JSON.stringify(node.host.actions),
      JSON.stringify(await node.object()),
      JSON.stringify(await node.progress()),
    ]
    expect(reported.length).toBeGreaterThan(100)
    expect(reported.join('\n')).toContain("can't reconcile config secret-2 with bad-no-gzip")
    const spellings = Object.values(secrets).flatMap((text) => [
      text,
      encodeURIComponent(text),
      base64(text),
      base64(`x${text}`).slice(2, -4),
    ])
    const leaks = reported.filter((text) => spellings.some((spelling) => text.includes(spelling)))
    expect(leaks).toEqual([])
    expect(reported.filter((text) => text.includes('TOPSECRET'))).toEqual([])
  })
})

/** Applies a config with all kinds of secrets, so that the other cases are meaningful. */
async function applied(node: Machine): Promise<void> {
  await node.joined(config('secret-1', { [quietFile]: 'x' }), { topology: 'SingleReplica' })
  node.start()
  await node.untilDone('secret-1')
  const packed = base64(gzipSync(secrets.key))
  await node.desire(
    secret('secret-2', {
      files: [file(key, `data:;base64,${packed}`, { compression: 'gzip' })],
      units: [
        {
          name: 'a.service',
          contents: `[Service]\nEnvironment=TOKEN=${secrets.unit}\n`,
          dropins: [{ name: '10-a.conf', contents: `[Service]\nEnvironment=B=${secrets.unit}\n` }],
        },
      ],
      users: [{ name: 'core', passwordHash: secrets.hash, sshAuthorizedKeys: [secrets.key] }],
    }),
  )
  await node.reboots()
  await node.untilDone('secret-2')
  expect(await node.read(quietFile)).toBe(secrets.pull)
  expect(await node.read(key)).toBe(secrets.key)
  expect(await node.host.accounts.passwordHash('core')).toBe(secrets.hash)
}

async function refused(node: Machine): Promise<void> {
  for (const [what, [parts, reason]] of Object.entries(bad)) {
    const name = `bad-${what.replaceAll(/\W/g, '-')}`.toLowerCase()
    await node.desire(secret(name, parts))
    await node.until(`${what} is refused`, async () => {
      const { [nodeAnnotations.reason]: found = '' } = (await node.object()).metadata.annotations!
      return found.includes(name) && reason.test(found)
    })
    expect(await node.annotation('state')).toMatch(/^(Unreconcilable|Degraded)$/)
  }
}

/** A disk that is full when the secrets are written. */
async function failed(node: Machine): Promise<void> {
  await node.stop()
  const full = new Faults({
    at: 1,
    fail: 'ENOSPC',
    only: (operation) => operation === `files.write ${key}`,
  })
  node.start({ host: faultyHost(node.host, full) })
  const gone = 'secret-3'
  await node.desire(secret(gone, { files: [file(key, `data:,${secrets.byHand}`)] }))
  await node.until('the failure is reported', async () => {
    return ((await node.annotation('reason')) ?? '').includes(`to ${gone} failed: `)
  })
  expect(await node.annotation('reason')).toContain('ENOSPC')
  await node.reboots()
  await node.untilDone(gone)
  expect(await node.read(key)).toBe(secrets.byHand)
}

async function drifted(node: Machine): Promise<void> {
  await node.put(quietFile, secrets.byHand)
  await node.untilAnnotation('state', 'Degraded')
  await node.put(quietFile, secrets.pull)
  await node.untilDone('secret-3')
}

/** The daemon's own files contain the whole config. */
async function damaged(node: Machine): Promise<void> {
  await node.stop()
  await node.put(nodePaths.currentConfig, `{"spec": "${secrets.state}`)
  await node.put(nodePaths.nodeAnnotations, secrets.state)
  node.start()
  await node.until('the failure is reported', async () => {
    return ((await node.annotation('reason')) ?? '').includes('it is not JSON')
  })
}
