import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { StaticTokens } from '../../src/authentication/static-tokens.ts'
import { ApiServer } from '../../src/http/api-server.ts'
import { openSqliteStore } from '../../src/store/sqlite-store.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-history-'))
afterAll(() => rmSync(directory, { recursive: true }))

interface Running extends AsyncDisposable {
  ask(path: string, body?: object): Promise<Response>
}

async function start(): Promise<Running> {
  const [clock, log] = [systemClock, silentLogger]
  const staticTokens = new StaticTokens()
  staticTokens.add('admin', { username: 'admin', groups: ['system:masters'] })
  const store = openSqliteStore({ directory, clock, log })
  const server = await ApiServer.start({
    store,
    clock,
    log,
    random: seededRandom(1),
    staticTokens,
    signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  })
  return {
    ask: (path, body) =>
      fetch(`${server.url}/api/v1/namespaces/default/configmaps${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await store.close()
    },
  }
}

it('the history starts with the first client, and survives a restart', async () => {
  const exactly = (version: string): string =>
    `?resourceVersion=${version}&resourceVersionMatch=Exact`
  let version: string
  {
    await using first = await start()
    expect((await first.ask(exactly('1'))).status).toBe(410)
    const empty = (await (await first.ask('')).json()) as { metadata: { resourceVersion: string } }
    version = empty.metadata.resourceVersion
    await first.ask('', { metadata: { name: 'a' } })
    expect(await (await first.ask(exactly(version))).json()).toMatchObject({ items: [] })
  }
  await using second = await start()
  expect(await (await second.ask(exactly(version))).json()).toMatchObject({ items: [] })
  const watch = await second.ask(`?watch=true&timeoutSeconds=1&resourceVersion=${version}`)
  const [line = ''] = (await watch.text()).split('\n')
  expect(JSON.parse(line)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
})
