import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nodeTrustKind } from '../../../../src/api/kinds/node-trust.ts'
import { trustRotationKind } from '../../../../src/api/kinds/trust-rotation.ts'
import { plainStyle } from '../../../../src/cli/style.ts'
import type { Wish } from '../../../../src/cli/rotate/conduct.ts'
import { conduct } from '../../../../src/cli/rotate/conduct.ts'
import type { Output } from '../../../../src/cli/rotate/output.ts'
import { jsonDocument, jsonLines, textOutput } from '../../../../src/cli/rotate/output.ts'
import { usualPatience } from '../../../../src/cli/rotate/unanswered.ts'
import { leases } from '@machinist/kube/kinds/coordination'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { makeNamespace, RotationWorld } from '../../signer/rotation-world.ts'

/** A command under way, what it has printed, and how it ended. */
interface Running {
  out(): string
  stop(): void
  readonly ended: Promise<string>
  isOver: boolean
}

describe('machinist rotate, with a signer at work', () => {
  let server: RunningServer
  let world: RotationWorld

  beforeAll(async () => {
    server = await startServer()
    await installDefinitions(server.client, [trustRotationKind, nodeTrustKind])
    await makeNamespace(server.client)
  })
  afterEach(() => world.clear())
  afterAll(() => server[Symbol.asyncDispose]())

  /** At rest: one CA, which every node but the last one of them will follow by itself. */
  async function settled(...names: readonly string[]): Promise<string> {
    world = new RotationWorld(server)
    for (const name of names) await world.node(name)
    await world.rotation('kubelet')
    await world.start()
    await world.phase('Completing')
    await world.follow(...names)
    const isTrusted = async (): Promise<boolean> =>
      (await world.condition('trusted'))?.status === 'True'
    await world.until('all trust it', isTrusted, 2000)
    await world.phase('Completed')
    return (await world.current())!.fingerprint
  }

  function start(
    wish: Partial<Wish>,
    kind: 'text' | 'lines' | 'document' | 'picture' = 'text',
    patience = forever,
  ): Running {
    let printed = ''
    const out = (text: string): void => void (printed += text)
    const now = (): number => world.clock.now()
    const outputs: Record<typeof kind, () => Output> = {
      text: () => textOutput(out, plainStyle, undefined),
      picture: () => textOutput(out, plainStyle, { columns: 60, rows: 40 }),
      lines: () => jsonLines(out, now),
      document: () => jsonDocument(out, now),
    }
    const stopped = Promise.withResolvers<void>()
    const { client, clock } = world
    const output = outputs[kind]()
    const tools = { client, clock, output, patience, stopped: () => stopped.promise }
    const all: Wish = { does: 'rotate', watch: false, dryRun: false, force: false, ...wish }
    const running: Running = {
      out: () => printed,
      stop: stopped.resolve,
      isOver: false,
      ended: conduct(all, tools).then(
        () => 'well',
        (error: unknown) => (error as Error).message,
      ),
    }
    void running.ended.then(() => (running.isOver = true))
    return running
  }

  /** Time passes while these nodes do what their daemons do, until the command has ended. */
  async function end(
    running: Running,
    followers: readonly string[] = [],
    stepMs = 2000,
  ): Promise<string> {
    let known = ''
    await world.until(
      'the command has ended',
      async () => {
        const published = (await world.configMap('client-ca'))?.data?.['ca-bundle.crt'] ?? ''
        if (published !== known) await world.follow(...followers)
        known = published
        return running.isOver
      },
      stepMs,
    )
    return await running.ended
  }

  it('gives a CA a successor and tells how, line by line', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    const dry = start({ dryRun: true })
    expect(await dry.ended).toBe('well')
    expect(dry.out()).toMatch(/^Rotation of kubelet\n {2}signer {6}keys\/kubelet-signer\n/)
    expect(dry.out()).toContain(
      '  nodes       2 have to trust the new CA before anything is signed',
    )
    expect(dry.out()).toMatch(/\nNothing was changed\. Without --dry-run it is done\.\n$/)
    expect((await world.current())?.fingerprint).toBe(old)

    const running = start({ watch: true })
    expect(await end(running, ['a', 'b'])).toBe('well')
    const current = (await world.current())!.fingerprint
    expect(current).not.toBe(old)
    const lines = running.out().split('\n')
    expect(lines.filter((line) => / kubelet (is|waits)/.test(line)).map(withoutTime)).toEqual(
      expect.arrayContaining([
        'kubelet waits for the signer',
        expect.stringMatching(/^kubelet is Preparing, CA kubelet-signer@\d+/),
        expect.stringMatching(/^kubelet is Completing( \(.*\))?/),
      ]),
    )
    expect(lines.map(withoutTime)).toContain('keys/kubelet-client is signed by the current CA')
    expect(lines.map(withoutTime)).toContain('2 of 2 nodes trust the current CA')
    expect(running.out()).toMatch(/\n✓ kubelet is rotated in \d+ min/)
    expect(running.out()).toMatch(/\n {2}2 nodes, [234] files written, no kubelet restarted\n/)
    expect(running.out()).toContain(`\n  ${current}\n`)
    expect(running.out()).not.toContain('PRIVATE KEY')
    expect(await world.status()).toMatchObject({ phase: 'Completed' })
  })

  it('is refused, goes on without a node, and goes back', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    const asked = start({}, 'document')
    expect(await end(asked, ['a'], 100)).toBe('well')
    expect(JSON.parse(asked.out())).toMatchObject({
      action: 'rotate',
      plan: { nodes: 2, against: [] },
      progress: { phase: 'Preparing', retiring: [{ fingerprint: old }] },
    })
    await world.follow('a')
    await world.rest()
    const again = start({})
    expect(await end(again)).toMatch(
      /^kubelet is being rotated already: Preparing since \S+, held up by b \(.*\)\. With --force it is done all the same\.$/,
    )
    const late = start({ does: 'status', watch: true, timeoutMs: 10_000 })
    expect(await end(late)).toMatch(/^kubelet is still Preparing after 10 s, held up by b \(/)
    const looked = start({ does: 'status', watch: true }, 'picture')
    await world.until('something is seen', () => Promise.resolve(looked.out() !== ''))
    looked.stop()
    expect(await looked.ended).toBe('well')
    expect(looked.out()).toContain('● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed')
    expect(looked.out()).toMatch(/JIt goes on by itself\. How it is: .* --status --watch\n$/)
    expect(
      looked
        .out()
        .split('\n')
        .slice(0, -2)
        .filter((line) => line.replaceAll(/\S\[K/g, '').length > 61),
    ).toEqual([])

    const wrong = start({ does: { without: ['nobody'] } })
    expect(await wrong.ended).toMatch(/^there is no node nobody;/)
    const back = start({ does: 'back', watch: true }, 'lines')
    expect(await end(back, ['a', 'b'])).toBe('well')
    const told = back
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(told[0]).toMatchObject({ type: 'plan', action: 'back', to: old })
    expect(told.at(-1)).toMatchObject({
      type: 'summary',
      phase: 'Completed',
      goesBack: true,
      current: { fingerprint: old },
      nodes: { total: 2, done: 2 },
    })
    expect((await world.current())?.fingerprint).toBe(old)
    expect(await start({ does: 'back' }).ended).toMatch(
      /^there is no previous CA that kubelet could go back to/,
    )
    expect(await start({ does: { without: ['b'] } }).ended).toBe(
      'kubelet waits for no node: no rotation is under way',
    )
  })

  it('does not wait for a node that is not to be waited for', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    expect(await end(start({}), ['a'], 100)).toBe('well')
    const without = start({ does: { without: ['b'] }, watch: true })
    await world.until(
      'it is signed',
      async () => {
        if (without.isOver) return true
        await world.follow('a')
        return without.out().includes('keys/kubelet-client is signed by the current CA')
      },
      5000,
    )
    without.stop()
    expect(await without.ended).toBe('well')
    expect(without.out()).toContain('kubelet no longer waits for 1 node\n')
    expect(without.out()).toContain('their kubelets refuse the API server')
    const current = (await world.current())!.fingerprint
    expect(current).not.toBe(old)
    expect((await world.status())?.current?.fingerprint).toBe(current)
  })

  it(
    'says when no signer seems to run, and when the Secret is missing',
    { timeout: 60_000 },
    async () => {
      await settled('a')
      await world.stop()
      expect(await end(start({ watch: true }, 'text', usualPatience))).toBe(
        'no signer seems to run: there is no Lease openshift-machine-config-operator/machinist-signer; machinist signer starts one. What was asked for stays, and is done as soon as one does.',
      )
      const { client } = world
      const namespace = 'openshift-machine-config-operator'
      await client.create(namespaces, { metadata: { name: namespace } })
      const renewTime = '2030-01-01T00:00:00.000000Z'
      await client.create(leases, {
        metadata: { namespace, name: 'machinist-signer' },
        spec: { holderIdentity: 'signer-0', leaseDurationSeconds: 137, renewTime },
      })
      expect(await end(start({}, 'text', usualPatience))).toMatch(
        /^a signer seems to run \(signer-0 holds Lease .*\), but has not reacted for 1 min: its log says more\. /,
      )
      await client.remove(secrets, { namespace: 'keys', name: 'kubelet-signer' })
      expect(await start({ dryRun: true }).ended).toBe(
        'the signer Secret keys/kubelet-signer of kubelet is not there: a signer that runs makes it by itself, so look whether one does',
      )
    },
  )
})

/** On a busy machine virtual time passes faster than a signer works. */
const forever = { firstMs: 1e12, lastMs: 1e12 }

const withoutTime = (line: string): string => line.replace(/^\d\d:\d\d:\d\d /, '')
