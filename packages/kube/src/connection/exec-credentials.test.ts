import { chmod, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { thrownBy } from '@machinist/testing/thrown-by'
import { until } from '@machinist/testing/until'
import { answer, serve } from '@machinist/testing/servers/http-server'
import { KubeClient } from '../client/client.ts'
import { nodes } from '../kinds/core.ts'
import { HttpTransport } from '../transport/http-transport.ts'
import type { Connection } from './connection.ts'
import { connectTo } from './credentials.ts'
import { realFiles } from './files.ts'
import type { RunOptions } from './run-command.ts'
import { commandRunner } from './run-command.ts'
import type { ExecPlan, Target } from './target.ts'

let directory: Awaited<ReturnType<typeof mkdtempDisposable>>
beforeAll(async () => {
  directory = await mkdtempDisposable(join(tmpdir(), 'machinist-exec-'))
})
afterAll(() => directory.remove())

const at = (name: string): string => join(directory.path, name)

/** A real plugin: a shell script. */
async function plugin(name: string, script: string): Promise<string> {
  await writeFile(at(name), `#!/bin/sh\n${script}\n`)
  await chmod(at(name), 0o755)
  return at(name)
}

const v1 = 'client.authentication.k8s.io/v1'
const credential = (status: object, apiVersion = v1): string =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
const printing = (text: string): string => `cat <<'END'\n${text}\nEND`

interface Setting {
  readonly plan?: Partial<ExecPlan>
  readonly target?: Partial<Target>
  readonly run?: Partial<RunOptions>
  readonly clock?: VirtualClock
}

function connecting(command: string, { plan, target, run, clock }: Setting = {}): Connection {
  const exec: ExecPlan = {
    apiVersion: v1,
    command,
    args: [],
    env: {},
    provideClusterInfo: false,
    ...plan,
  }
  return connectTo({
    target: { origin: 'context "dev"', server: 'https://api', exec, ...target },
    files: realFiles,
    run: commandRunner({ clock: systemClock, env: { PATH: process.env['PATH'] }, ...run }),
    clock: clock ?? systemClock,
  })
}

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('a credential plugin', () => {
  it('receives KUBERNETES_EXEC_INFO, and its token is used', async () => {
    const command = await plugin(
      'told',
      `printf '%s|%s|%s' "$KUBERNETES_EXEC_INFO" "$PROFILE" "$*" > ${at('told.out')}
${printing(credential({ token: 'abc' }))}`,
    )
    const connection = connecting(command, {
      plan: {
        args: ['get-token', '--quiet'],
        env: { PROFILE: 'dev' },
        provideClusterInfo: true,
        clusterConfig: { audience: 'x' },
      },
      target: { ca: { text: createdCa }, serverName: 'kubernetes' },
    })
    expect((await connection.access()).headers).toEqual({ authorization: 'Bearer abc' })
    const [info, profile, args] = (await readFile(at('told.out'), 'utf8')).split('|')
    expect(JSON.parse(info!)).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api',
          'tls-server-name': 'kubernetes',
          'certificate-authority-data': Buffer.from(createdCa).toString('base64'),
          config: { audience: 'x' },
        },
      },
    })
    expect([profile, args]).toEqual(['dev', 'get-token --quiet'])
  })

  it('runs through the configured entry command', async () => {
    const command = await plugin('inside', printing(credential({ token: 'inside' })))
    // Like chroot: an argument, then the command. The script prints the argument.
    const script = 'printf "%s" "$*" > "$1"; shift; exec "$@"'
    const enter = ['/bin/sh', '-c', script, 'enter', at('entered')]
    const connection = connecting(command, { plan: { args: ['--token'] }, run: { enter } })
    expect((await connection.access()).headers).toEqual({ authorization: 'Bearer inside' })
    expect(await readFile(at('entered'), 'utf8')).toBe(`${at('entered')} ${command} --token`)
  })

  it('receives no cluster info unless it requires it', async () => {
    const command = await plugin(
      'plain',
      `printf '%s' "$KUBERNETES_EXEC_INFO" > ${at('plain.out')}
${printing(credential({ token: 'abc' }, 'client.authentication.k8s.io/v1beta1'))}`,
    )
    await connecting(command, {
      plan: { apiVersion: 'client.authentication.k8s.io/v1beta1' },
    }).access()
    expect(JSON.parse(await readFile(at('plain.out'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      spec: { interactive: false },
    })
  })

  it('can return a client certificate', async () => {
    const { certificate, key } = createAuthority('clients').issueClient('ann')
    const status = { clientCertificateData: certificate, clientKeyData: key }
    const command = await plugin('certificate', printing(credential(status)))
    const { tls, headers } = await connecting(command).access()
    expect([tls.cert, tls.key, headers]).toEqual([certificate, key, {}])
  })

  it('runs once until its credentials expire', async () => {
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
    const status = { token: 't', expirationTimestamp: '2026-01-01T01:00:00Z' }
    const command = await plugin(
      'counting',
      `echo run >> ${at('runs')}\n${printing(credential(status))}`,
    )
    const connection = connecting(command, { clock })
    const runs = async (): Promise<number> =>
      (await readFile(at('runs'), 'utf8')).split('\n').length - 1
    for (let i = 0; i < 3; i++) await connection.access()
    await clock.advance(3_599_999)
    await connection.access()
    expect(await runs()).toBe(1)
    await clock.advance(1)
    await Promise.all([connection.access(), connection.access()])
    expect(await runs()).toBe(2)
  })

  it('runs again after a 401, and the request is retried', async () => {
    const command = await plugin(
      'renewing',
      `echo x >> ${at('count')}
printf '{"kind":"ExecCredential","apiVersion":"${v1}","status":{"token":"t%s"}}' "$(wc -l < ${at('count')} | tr -d ' ')"`,
    )
    const asks: unknown[] = []
    await using server = await serve((request, response) => {
      asks.push(request.headers.authorization)
      if (asks.length === 1) answer(response, 401, { kind: 'Status', code: 401 })
      else answer(response, 200, { metadata: { name: 'a' } })
    })
    const connection = connecting(command, { target: { server: server.url } })
    const transport = new HttpTransport({ connection, clock: systemClock })
    const client = new KubeClient({ transport, clock: systemClock })
    expect((await client.get(nodes, { name: 'a' })).metadata.name).toBe('a')
    expect(asks).toEqual(['Bearer t1', 'Bearer t2'])
  })

  it('that does not exit is killed', async () => {
    const clock = new VirtualClock()
    const command = await plugin('endless', `echo $$ > ${at('pid')}\nexec sleep 600`)
    const failing = failureOf(connecting(command, { run: { clock, timeoutMs: 5000 } }).access())
    const pid = async (): Promise<string> => await readFile(at('pid'), 'utf8').catch(() => '')
    await until('the plugin runs', async () => (await pid()).endsWith('\n'))
    await clock.advance(5000)
    expect(await failing).toHaveProperty(
      'message',
      `context "dev": the credential plugin ${command} did not finish in time`,
    )
    const number = Number(await pid())
    await until('the plugin is gone', () => thrownBy(() => process.kill(number, 0)) !== undefined)
    expect(number).toBeGreaterThan(0)
  })

  it('that is missing fails with the install hint', async () => {
    const failing = connecting('no-such-plugin', {
      plan: { installHint: 'Run: get-plugin' },
    }).access()
    await expect(failing).rejects.toThrow(
      'context "dev": the credential plugin no-such-plugin was not found. Run: get-plugin',
    )
  })

  it.each([
    [
      'fails',
      'echo secret-1; echo secret-2 >&2; exit 3',
      'failed (exit code 3): run it manually to see the error',
    ],
    ['is killed', 'kill -9 $$', 'failed (SIGKILL): run it manually to see the error'],
    ['prints no JSON', 'echo secret-1', 'did not print an ExecCredential'],
    ['prints another kind', 'echo "{}"', 'did not print an ExecCredential'],
    [
      'prints another version',
      printing(credential({ token: 'secret-1' }, 'client.authentication.k8s.io/v1beta1')),
      'must print apiVersion client.authentication.k8s.io/v1, which the kubeconfig requires',
    ],
    [
      'prints no credentials',
      printing(credential({})),
      'printed neither a token nor a certificate',
    ],
    [
      'omits the key',
      printing(credential({ clientCertificateData: 'secret-1' })),
      'printed a certificate without a key, or a key without a certificate',
    ],
    [
      'prints an invalid certificate',
      printing(credential({ clientCertificateData: 'secret-1', clientKeyData: 'secret-2' })),
      'printed a certificate and a key that do not match',
    ],
    [
      'prints an invalid token',
      printing(credential({ token: 'secret 1' })),
      'printed an invalid token',
    ],
    [
      'prints an invalid time',
      printing(credential({ token: 'secret-1', expirationTimestamp: 'soon' })),
      'printed an invalid expirationTimestamp',
    ],
    ['prints too much', 'yes secret-1', 'prints too much output'],
  ])('that %s fails without its output in the message', async (name, script, problem) => {
    const command = await plugin(name.replaceAll(' ', '-'), script)
    const failure = await failureOf(connecting(command).access())
    expect(failure).toBeInstanceOf(InvalidInput)
    expect(failure).toHaveProperty(
      'message',
      `context "dev": the credential plugin ${command} ${problem}`,
    )
  })

  it('that cannot be started fails', async () => {
    await writeFile(at('not-executable'), 'x')
    await expect(connecting(at('not-executable')).access()).rejects.toThrow(
      'not-executable cannot be started (EACCES)',
    )
    const failing = connecting('x', { plan: { args: ['secret\0'] } }).access()
    await expect(failing).rejects.toThrow('x cannot be started (not a valid command line)')
  })
})

const createdCa = createAuthority('cluster').certificate

describe('a rejected request', () => {
  const counting = (count: string): string =>
    `echo x >> ${at(count)}\n${printing(credential({ token: 'abc' }))}`

  it('during a read of the files still runs the plugin', async () => {
    const clock = new VirtualClock()
    const connection = connecting(await plugin('again', counting('again.count')), { clock })
    const refused = await connection.access()
    await clock.advance(10_000)
    const looking = connection.access()
    await connection.renew(refused)
    await looking
    expect(await readFile(at('again.count'), 'utf8')).toBe('x\nx\n')
  })

  it('runs the plugin once for many requests', async () => {
    const connection = connecting(await plugin('once', counting('once.count')))
    const refused = await connection.access()
    await Promise.all(Array.from({ length: 20 }, () => connection.renew(refused)))
    expect(await readFile(at('once.count'), 'utf8')).toBe('x\nx\n')
  })
})
