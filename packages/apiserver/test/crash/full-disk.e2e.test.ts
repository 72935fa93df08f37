import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { administrator, ApiProcess } from './api-process.ts'
import type { Outcome } from './https-calls.ts'
import { HttpsCalls } from './https-calls.ts'
import { configMaps } from './stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'apiserver-full-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Limits the file size of the process in KiB, which looks like a full disk. */
const limited = ['bash', '-c', 'ulimit -S -f 2048; exec "$0" "$@"']

const filler = 'x'.repeat(50_000)
const object = (name: string): object => ({ metadata: { name }, data: { filler } })

describe('a server with a full disk', () => {
  it(
    'rejects writes, serves reads, loses nothing, and continues when there is space',
    { timeout: 120_000 },
    async () => {
      const server = await ApiProcess.start(directory, limited)
      const identity = administrator(directory)
      const calls = new HttpsCalls(server.url, identity)
      const watch = await calls.open('GET', `${configMaps.path}?watch=true&resourceVersion=0`)
      let events = ''
      watch.setEncoding('utf8').on('data', (chunk) => (events += String(chunk)))
      watch.on('error', () => {})

      const acknowledged: string[] = []
      let rejected: Outcome | undefined
      for (let i = 0; i < 500 && !rejected; i++) {
        const outcome = await calls.call('POST', configMaps.path, object(`before-${i}`))
        if (outcome.code === 201) acknowledged.push(`before-${i}`)
        else rejected = outcome
      }
      expect(rejected).toEqual({
        code: 503,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message:
            "the server's disk did not accept the write (disk I/O error): free disk space or repair the disk, then retry",
          reason: 'ServiceUnavailable',
          code: 503,
        },
      })
      const patched = await calls.call(
        'PATCH',
        `${configMaps.path}/before-0`,
        { data: { filler: 'y'.repeat(60_000) } },
        'application/merge-patch+json',
      )
      expect(patched.code).toBe(503)
      expect(await namesIn(calls)).toEqual(acknowledged.toSorted())

      const freed = spawnSync('bash', ['-c', `prlimit --pid ${server.pid} --fsize=unlimited`])
      expect(String(freed.stderr)).toBe('')
      const { code } = await calls.call('POST', configMaps.path, object('after'))
      expect(code).toBe(201)
      expect(await namesIn(calls)).toEqual([...acknowledged, 'after'].toSorted())
      expect(events).toContain('"name":"after"')
      expect([...events.matchAll(/"type":"ADDED"/g)]).toHaveLength(acknowledged.length + 1)
      watch.destroy()
      calls.close()
      await server.kill()

      const second = await ApiProcess.start(directory)
      const again = new HttpsCalls(second.url, identity)
      expect(await namesIn(again)).toEqual([...acknowledged, 'after'].toSorted())
      again.close()
      expect(await second.terminate()).toBe(0)
    },
  )
})

async function namesIn(calls: HttpsCalls): Promise<string[]> {
  const { body } = await calls.call('GET', configMaps.path)
  return body.items.map(({ metadata }) => metadata.name).toSorted()
}
