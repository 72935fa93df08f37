import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { FaultyServer } from '@machinist/testing/servers/faulty-server/faulty-server'
import type { TestNode } from '@machinist/testing/servers/informer-harness'
import { InformerHarness, node, testNodes } from '@machinist/testing/servers/informer-harness'
import { ServiceAccount } from '@machinist/testing/clusters/service-account'
import type { Authority, KeyPair } from '@machinist/testing/certificates/tls'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import { KubeClient } from '../src/client/client.ts'
import type { Connection } from '../src/connection/connection.ts'
import { connectTo } from '../src/connection/credentials.ts'
import { realFiles } from '../src/connection/files.ts'
import { commandRunner } from '../src/connection/run-command.ts'
import { HttpTransport } from '../src/transport/http-transport.ts'

/** Credentials change during a watch while objects change: every event arrives once and in order. */
describe('during a watch', { timeout: 120_000 }, () => {
  const stops: (() => void | Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  /** An informer and a writer of numbered changes; records the received changes. */
  class Story {
    readonly server: FaultyServer<TestNode>
    readonly harness: InformerHarness
    readonly received: number[] = []
    #written = 0

    constructor(server: FaultyServer<TestNode>, connection: Connection, clock: VirtualClock) {
      this.server = server
      this.harness = new InformerHarness(server, { connection, clock })
      stops.push(() => this.harness.stop())
      this.harness.informer.subscribe(({ type, object }) => {
        if (type === 'updated') this.received.push(Number(object.spec?.text))
      })
    }

    write(count: number): void {
      for (let i = 0; i < count; i++) this.server.store.put(node('a', String(this.#written++)))
    }

    /** Virtual minutes with a write every second. */
    async live(seconds: number): Promise<void> {
      for (let i = 0; i < seconds; i++) {
        this.write(1)
        await this.harness.runUntil('a second passed', secondsFrom(this.harness.clock), 250)
      }
    }

    /** Waits for the last change; true if all were received once and in order. */
    async heardAll(): Promise<boolean> {
      await this.harness.waitForSync(500)
      return (
        this.received.length === this.#written && this.received.every((number, i) => number === i)
      )
    }

    get lists(): number {
      return this.server.requests.filter(({ verb }) => verb === 'list').length
    }
  }

  const secondsFrom = (clock: VirtualClock): (() => boolean) => {
    const due = clock.elapsed() + 1000
    return () => clock.elapsed() >= due
  }

  interface Pod {
    readonly server: FaultyServer<TestNode>
    readonly account: ServiceAccount
    readonly story: Story
    readonly authority: Authority
    readonly client: KubeClient
  }

  const pod = async (): Promise<Pod> => {
    const authority = createAuthority('first')
    const server = await FaultyServer.start<TestNode>({
      tls: authority.issueServer(),
      token: 'one',
    })
    stops.push(() => server.stop())
    server.store.put(node('a', ''))
    const account = new ServiceAccount({ token: 'one', ca: authority.certificate })
    stops.push(() => account.remove())
    const clock = new VirtualClock()
    const connection = await account.connection(server.url, clock)
    const story = new Story(server, connection, clock)
    const transport = new HttpTransport({ connection, clock })
    stops.push(() => transport.close())
    const client = new KubeClient({ transport, clock })
    await story.harness.waitForSync()
    return { server, account, story, authority, client }
  }

  it('the token is replaced, and the old one is rejected a minute later', async () => {
    const { server, account, story } = await pod()
    await story.live(20)
    account.write('token', 'two')
    // The server accepts the old token for a while; the watch must use the new one by then.
    server.requireToken('one')
    await story.live(5)
    server.requireToken('two')
    await story.live(60)
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer two')
  })

  it('the old token is rejected before the new one exists', async () => {
    const { server, account, story } = await pod()
    server.requireToken('two')
    server.dropConnections()
    await story.live(20)
    expect(server.unauthorized).toBeGreaterThan(0)
    account.write('token', 'two')
    await story.live(40)
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
  })

  it('the CA is rotated in three steps', async () => {
    const { server, account, story, authority } = await pod()
    const next = createAuthority('second')
    account.write('ca.crt', authority.certificate + next.certificate)
    await story.live(30)
    server.rotateCertificate(next.issueServer())
    server.dropConnections()
    await story.live(30)
    account.write('ca.crt', next.certificate)
    await story.live(30)
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
  })

  it('the server uses a new CA before the client trusts it: nothing is sent', async () => {
    const { server, account, story } = await pod()
    const next = createAuthority('second')
    const before = server.requests.length
    server.rotateCertificate(next.issueServer())
    server.dropConnections()
    await story.live(60)
    expect(server.requests).toHaveLength(before)
    expect(story.harness.informer.isConnected).toBe(false)
    account.write('ca.crt', next.certificate)
    await story.live(60)
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
  })

  it('the files are invalid for a while: the last valid values stay in use', async () => {
    const { server, account, story, authority } = await pod()
    account.write('token', '')
    account.write('ca.crt', '-----BEGIN CERTIFICATE-----\nMIIB')
    server.dropConnections()
    await story.live(30)
    expect(await story.heardAll()).toBe(true)
    account.write('token', 'one')
    account.write('ca.crt', authority.certificate)
    await story.live(15)
    expect(await story.heardAll()).toBe(true)
    expect([story.lists, server.unauthorized]).toEqual([1, 0])
  })

  it('all credentials are replaced repeatedly', async () => {
    const { server, account, story } = await pod()
    for (let round = 0; round < 5; round++) {
      const next = createAuthority(`round ${round}`)
      server.rotateCertificate(next.issueServer())
      server.requireToken(`token-${round}`)
      server.dropConnections()
      await story.live(5)
      account.write('ca.crt', next.certificate)
      account.write('token', `token-${round}`)
      await story.live(40)
    }
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
    expect(server.openSockets).toBeLessThanOrEqual(5)
  })

  it('both are replaced, and the next request uses them', async () => {
    const { server, account, client } = await pod()
    const next = createAuthority('second')
    server.rotateCertificate(next.issueServer())
    server.requireToken('two')
    server.dropConnections()
    account.write('ca.crt', next.certificate)
    account.write('token', 'two')
    // No time passes: the files are not polled.
    expect((await client.get(testNodes, { name: 'a' })).metadata.name).toBe('a')
    server.requireToken('three')
    account.write('token', 'three')
    expect((await client.get(testNodes, { name: 'a' })).metadata.name).toBe('a')
    expect(server.unauthorized).toBe(1)
  })

  it('the client certificate is replaced, and the old issuer is no longer accepted', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-client-'))
    stops.push(() => rmSync(directory, { recursive: true, force: true }))
    const write = ({ certificate, key }: KeyPair): void => {
      writeFileSync(join(directory, 'client.crt'), certificate)
      writeFileSync(join(directory, 'client.key'), key, { mode: 0o600 })
    }
    const servers = createAuthority('servers')
    const clients = createAuthority('clients')
    const others = createAuthority('others')
    const tls = servers.issueServer()
    const server = await FaultyServer.start<TestNode>({ tls, clientAuthority: clients })
    stops.push(() => server.stop())
    server.store.put(node('a', ''))
    write(clients.issueClient('system:node:worker-1', 'system:nodes'))
    const clock = new VirtualClock()
    const target = {
      origin: 'a test',
      server: server.url,
      ca: { text: servers.certificate },
      cert: { file: join(directory, 'client.crt') },
      key: { file: join(directory, 'client.key') },
    }
    const run = commandRunner({ clock, env: {} })
    const story = new Story(server, connectTo({ target, files: realFiles, run, clock }), clock)
    await story.harness.waitForSync()
    await story.live(5)
    server.rotateCertificate(tls, others)
    server.dropConnections()
    await story.live(20)
    expect(server.openWatches).toBe(0)
    write(others.issueClient('system:node:worker-1', 'system:nodes'))
    await story.live(40)
    expect(await story.heardAll()).toBe(true)
    expect(story.lists).toBe(1)
    await until('one watch is open', () => server.openWatches === 1)
  })
})
