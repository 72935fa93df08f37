import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps } from '@machinist/kube/kinds/core'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import { until } from '@machinist/testing/until'

const machinist = join(import.meta.dirname, '../../../bin/machinist')
const disk = mkdtempSync(join(tmpdir(), 'machinist-full-disk-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk], {
  encoding: 'utf8',
})
const isShared = mounted.status !== 0
const why = `no disk of its own can be mounted: ${mounted.stderr?.trim()}`
const data = join(disk, 'data')
const log = join(disk, 'log')
const args = ['apiserver', '--data', data, '--listen', '127.0.0.1:0']
const children = new Set<ChildProcess>()

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  if (!isShared) spawnSync('umount', ['--lazy', disk])
  rmSync(disk, { recursive: true, force: true })
})

/** Fills the disk. */
const fill = (): void => {
  const file = openSync(join(disk, 'filler'), 'w')
  const page = Buffer.alloc(4096)
  try {
    for (;;) writeSync(file, page)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  } finally {
    closeSync(file)
  }
}
const free = (): void => rmSync(join(disk, 'filler'))

/** Its log goes to the same disk. */
async function started(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const file = openSync(log, 'a')
  const child = spawn(machinist, args, { stdio: ['ignore', 'pipe', file] })
  closeSync(file)
  children.add(child)
  let output = ''
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    output += String(chunk)
    const url = /ready: (https:\S+),/.exec(output)?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error(`it ended before it was ready: ${readFileSync(log, 'utf8')}`)
}

const failedStart = (): { readonly status: number | null; readonly stderr: string } =>
  // Stopped after a while if it serves.
  spawnSync(machinist, args, { encoding: 'utf8', timeout: 20_000 })

async function health(url: string, path: string): Promise<readonly [number | undefined, string]> {
  const token = readFileSync(join(data, 'pki/admin.token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const request = get(`${url}${path}`, { rejectUnauthorized: false, agent: false, headers })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const chunks = await Array.fromAsync(answer as AsyncIterable<Buffer>)
  return [answer.statusCode, Buffer.concat(chunks).toString()]
}

const create = (client: KubeClient, name: string): Promise<unknown> =>
  client.create(configMaps, {
    metadata: { namespace: 'default', name },
    data: { a: 'x'.repeat(100_000) },
  })

describe('machinist apiserver on a full disk', () => {
  it('is not ready while it cannot write, keeps running, and recovers', async ({ skip }) => {
    skip(isShared, why)
    const { child, url } = await started()
    const client = await clientFrom(join(data, 'kubeconfig'))
    expect(await health(url, '/readyz')).toEqual([200, 'ok'])
    fill()
    let number = 0
    await expect(
      (async () => {
        for (;;) await create(client, `a${number++}`)
      })(),
    ).rejects.toThrow("the server's disk did not accept the write")
    const [code] = await health(url, '/readyz')
    expect(code).toBe(500)
    expect((await health(url, '/readyz/etcd-readiness'))[1]).toContain('free disk space')
    expect(await health(url, '/livez')).toEqual([200, 'ok'])
    expect(child.exitCode).toBeNull()
    free()
    await until('it is ready again', async () => (await health(url, '/readyz'))[0] === 200)
    await create(client, 'afterwards')
    expect(readFileSync(log, 'utf8')).toContain('the disk accepts writes again')
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  })

  it('does not advise to remove its lock if the disk is full', ({ skip }) => {
    skip(isShared, why)
    rmSync(join(data, 'lock.db'))
    fill()
    const { status, stderr } = failedStart()
    free()
    expect(status).toBe(1)
    expect(stderr).toContain(`cannot write the lock ${join(data, 'lock.db')}`)
    expect(stderr).toContain('free disk space')
    expect(stderr).not.toContain('remove')
  })
})

describe('machinist apiserver on a directory that has lost its objects', () => {
  beforeAll(async () => {
    const { child } = await started()
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  })

  it.each([
    ['is empty', () => truncateSync(join(data, 'store.db'))],
    ['is missing', () => rmSync(join(data, 'store.db'))],
  ])('does not start when the database %s', (what, lose) => {
    lose()
    for (const file of ['store.db-wal', 'store.db-shm']) rmSync(join(data, file), { force: true })
    const { status, stderr } = failedStart()
    expect(status).toBe(1)
    expect(stderr).toContain(
      `the database ${join(data, 'store.db')} ${what}, but the directory was in use before (${join(data, 'pki')} exists)`,
    )
    expect(stderr).toContain(
      'restore a backup of the whole directory, or move it away to start empty',
    )
  })
})
