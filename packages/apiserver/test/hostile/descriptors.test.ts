import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { administrator, ApiProcess } from '../crash/api-process.ts'
import { HttpsCalls } from '../crash/https-calls.ts'
import { configMaps } from '../crash/stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'apiserver-descriptors-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Few enough for a handful of connections to exhaust. */
const limited = ['bash', '-c', 'ulimit -n 64; exec "$0" "$@"']

describe('connections beyond the file descriptor limit', () => {
  it('are rejected; existing ones continue', { timeout: 120_000 }, async () => {
    const server = await ApiProcess.start(directory, limited)
    const calls = new HttpsCalls(server.url, administrator(directory))
    const create = async (name: string): Promise<number> =>
      (await calls.call('POST', configMaps.path, { metadata: { name } })).code
    expect(await create('before')).toBe(201)

    const { port } = new URL(server.url)
    const crowd = Array.from({ length: 200 }, () => connect(Number(port), '127.0.0.1'))
    let settled = 0
    for (const socket of crowd) {
      socket.on('error', () => {})
      socket.once('connect', () => settled++)
      socket.once('close', () => settled++)
    }
    await until('each has come in or not', () => settled >= crowd.length)
    expect(await create('during')).toBe(201)
    for (const socket of crowd) socket.destroy()
    await until('all are gone', () => crowd.every((socket: Socket) => socket.destroyed))
    const fresh = new HttpsCalls(server.url, administrator(directory))
    await until('new ones are served', async () => {
      try {
        return (await fresh.call('GET', configMaps.path)).code === 200
      } catch {
        return false
      }
    })
    expect(server.log).not.toContain('Error:')
    calls.close()
    fresh.close()
    expect(await server.terminate()).toBe(0)
  })
})
