import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { leases } from '@machinist/kube/kinds/coordination'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { nodeTrustKind } from '../../../../src/api/kinds/node-trust.ts'
import { trustRotationKind } from '../../../../src/api/kinds/trust-rotation.ts'
import { plainStyle } from '../../../../src/cli/text/style.ts'
import type { RotateRequest } from '../../../../src/cli/commands/rotate/carry-out.ts'
import { carryOutRequest } from '../../../../src/cli/commands/rotate/carry-out.ts'
import type { RotateOutput } from '../../../../src/cli/commands/rotate/output.ts'
import { jsonDocument, jsonLines, textOutput } from '../../../../src/cli/commands/rotate/output.ts'
import { defaultSignerTimeouts } from '../../../../src/cli/commands/rotate/await-signer.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { makeNamespace, RotationCluster } from '../../signer/rotation-cluster.ts'

/** A running command, its output, and its result. */
interface Running {
  out(): string
  stop(): void
  readonly ended: Promise<string>
  isOver: boolean
}

describe('machinist rotate, with a running signer', () => {
  let server: RunningServer
  let world: RotationCluster

  beforeAll(async () => {
    server = await startServer()
    await installDefinitions(server.client, [trustRotationKind, nodeTrustKind])
    await makeNamespace(server.client)
  })
  afterEach(() => world.clear())
  afterAll(() => server[Symbol.asyncDispose]())

  /** Completes a first rotation: one CA, which every node trusts. */
  async function settled(...names: readonly string[]): Promise<string> {
    world = new RotationCluster(server)
    for (const name of names) await world.node(name)
    await world.rotation('kubelet')
    await world.start()
    await world.phase('Completing')
    await world.follow(...names)
    const isTrusted = async (): Promise<boolean> =>
      (await world.condition('trusted'))?.status === 'True'
    await world.until('all nodes trust the CA', isTrusted, 2000)
    await world.phase('Completed')
    return (await world.current())!.fingerprint
  }

  function start(
    request: Partial<RotateRequest>,
    kind: 'text' | 'lines' | 'document' | 'picture' = 'text',
    signerTimeouts = noTimeouts,
  ): Running {
    let printed = ''
    const out = (text: string): void => void (printed += text)
    const now = (): number => world.clock.now()
    const outputs: Record<typeof kind, () => RotateOutput> = {
      text: () => textOutput(out, plainStyle, undefined),
      picture: () => textOutput(out, plainStyle, { columns: 60, rows: 40 }),
      lines: () => jsonLines(out, now),
      document: () => jsonDocument(out, now),
    }
    const stopped = Promise.withResolvers<void>()
    const { client, clock } = world
    const output = outputs[kind]()
    const tools = { client, clock, output, signerTimeouts, stopped: () => stopped.promise }
    const all: RotateRequest = {
      action: 'rotate',
      watch: false,
      dryRun: false,
      force: false,
      ...request,
    }
    const running: Running = {
      out: () => printed,
      stop: stopped.resolve,
      isOver: false,
      ended: carryOutRequest(all, tools).then(
        () => 'ok',
        (error: unknown) => (error as Error).message,
      ),
    }
    void running.ended.then(() => (running.isOver = true))
    return running
  }

  /** Advances the time while these nodes take over new CAs, until the command has ended. */
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

  it('rotates a CA and prints the progress line by line', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    const dry = start({ dryRun: true })
    expect(await dry.ended).toBe('ok')
    expect(dry.out()).toMatch(/^Rotation of kubelet\n {2}signer {4}keys\/kubelet-signer\n/)
    expect(dry.out()).toContain('  nodes     2 must trust the new CA before it signs anything')
    expect(dry.out()).toMatch(/\nDry run: nothing was changed\. Omit --dry-run to apply\.\n$/)
    expect((await world.current())?.fingerprint).toBe(old)

    const running = start({ watch: true })
    expect(await end(running, ['a', 'b'])).toBe('ok')
    const current = (await world.current())!.fingerprint
    expect(current).not.toBe(old)
    const lines = running.out().split('\n')
    expect(lines.filter((line) => / kubelet is/.test(line)).map(withoutTime)).toEqual(
      expect.arrayContaining([
        'kubelet is waiting for the signer',
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

  it('is rejected during a rotation, and goes back', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    const requested = start({}, 'document')
    expect(await end(requested, ['a'], 100)).toBe('ok')
    expect(JSON.parse(requested.out())).toMatchObject({
      action: 'rotate',
      plan: { nodes: 2, against: [] },
      progress: { phase: 'Preparing', retiring: [{ fingerprint: old }] },
    })
    await world.follow('a')
    await world.rest()
    const again = start({})
    expect(await end(again)).toMatch(
      /^a rotation of kubelet is in progress: Preparing since \S+, delayed by b \(.*\)\. Use --force to continue anyway\.$/,
    )
    const late = start({ action: 'status', watch: true, timeoutMs: 10_000 })
    expect(await end(late)).toMatch(/^kubelet is still Preparing after 10 s, delayed by b \(/)
    const watched = start({ action: 'status', watch: true }, 'picture')
    await world.until('a picture is drawn', () => Promise.resolve(watched.out() !== ''))
    watched.stop()
    expect(await watched.ended).toBe('ok')
    expect(watched.out()).toContain('● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed')
    expect(watched.out()).toMatch(/JThe rotation continues\. To watch it: .* --status --watch\n$/)
    expect(
      watched
        .out()
        .split('\n')
        .slice(0, -2)
        .filter((line) => line.replaceAll(/\S\[K/g, '').length > 61),
    ).toEqual([])

    const wrong = start({ action: { without: ['nobody'] } })
    expect(await wrong.ended).toMatch(/^node nobody not found;/)
    const back = start({ action: 'back', watch: true }, 'lines')
    expect(await end(back, ['a', 'b'])).toBe('ok')
    const lines = back
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(lines[0]).toMatchObject({ type: 'plan', action: 'back', to: old })
    expect(lines.at(-1)).toMatchObject({
      type: 'summary',
      phase: 'Completed',
      goesBack: true,
      current: { fingerprint: old },
      nodes: { total: 2, done: 2 },
    })
    expect((await world.current())?.fingerprint).toBe(old)
    expect(await start({ action: 'back' }).ended).toMatch(
      /^kubelet has no previous CA to go back to/,
    )
    expect(await start({ action: { without: ['b'] } }).ended).toBe(
      'kubelet does not wait for nodes: no rotation is in progress',
    )
  })

  it('does not wait for an excluded node', { timeout: 60_000 }, async () => {
    const old = await settled('a', 'b')
    expect(await end(start({}), ['a'], 100)).toBe('ok')
    const without = start({ action: { without: ['b'] }, watch: true })
    await world.until(
      'the certificate is signed',
      async () => {
        if (without.isOver) return true
        await world.follow('a')
        return without.out().includes('keys/kubelet-client is signed by the current CA')
      },
      5000,
    )
    without.stop()
    expect(await without.ended).toBe('ok')
    expect(without.out()).toContain('kubelet no longer waits for 1 node\n')
    expect(without.out()).toContain('their kubelets reject the API server')
    const current = (await world.current())!.fingerprint
    expect(current).not.toBe(old)
    expect((await world.status())?.current?.fingerprint).toBe(current)
  })

  it('reports that no signer seems to run, and a missing Secret', { timeout: 60_000 }, async () => {
    await settled('a')
    await world.stop()
    expect(await end(start({ watch: true }, 'text', defaultSignerTimeouts))).toBe(
      'no signer seems to run: Lease openshift-machine-config-operator/machinist-signer does not exist; machinist signer starts a signer. The request is stored, and the next signer that runs carries it out.',
    )
    const { client } = world
    const namespace = 'openshift-machine-config-operator'
    await client.create(namespaces, { metadata: { name: namespace } })
    const renewTime = '2030-01-01T00:00:00.000000Z'
    await client.create(leases, {
      metadata: { namespace, name: 'machinist-signer' },
      spec: { holderIdentity: 'signer-0', leaseDurationSeconds: 137, renewTime },
    })
    expect(await end(start({}, 'text', defaultSignerTimeouts))).toMatch(
      /^a signer seems to run \(signer-0 holds Lease .*\), but has not reacted for 1 min: check its log\. /,
    )
    await client.remove(secrets, { namespace: 'keys', name: 'kubelet-signer' })
    expect(await start({ dryRun: true }).ended).toBe(
      'signer Secret keys/kubelet-signer of kubelet does not exist: a running signer creates it, so check whether one runs',
    )
  })
})

/** On a busy machine virtual time passes faster than a signer works. */
const noTimeouts = { checkAfterMs: 1e12, giveUpAfterMs: 1e12 }

const withoutTime = (line: string): string => line.replace(/^\d\d:\d\d:\d\d /, '')
