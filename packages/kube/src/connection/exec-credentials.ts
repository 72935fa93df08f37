import type { Clock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { checkedPair, checkedToken } from './material.ts'
import type { RunCommand } from './run-command.ts'
import type { ExecPlan, Target } from './target.ts'

/** What a plugin gave us. */
export interface ExecCredentials {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  /** Milliseconds since the epoch; absent when it lasts until the server says no. */
  readonly expiresAt?: number
}

export interface ExecOptions {
  readonly target: Target
  readonly plan: ExecPlan
  readonly run: RunCommand
  readonly clock: Clock
}

/** Runs the plugin and reads what it prints. Neither its output nor its variables are ever quoted. */
export async function execCredentials(
  options: ExecOptions,
  ca: string | undefined,
): Promise<ExecCredentials> {
  const { plan, target, run } = options
  const info = JSON.stringify(execInfo(plan, target, ca))
  const result = await run({
    command: plan.command,
    args: plan.args,
    env: { ...plan.env, KUBERNETES_EXEC_INFO: info },
  })
  switch (result.ended) {
    case 'missing':
      throw wrong(options, `was not found${hint(plan)}`)
    case 'unstartable':
      throw wrong(options, `cannot be started (${result.code})${hint(plan)}`)
    case 'late':
      throw wrong(options, 'did not finish in time')
    case 'talkative':
      throw wrong(options, 'prints more than credentials')
    case 'failed':
      throw wrong(options, `failed (${result.how}): run it by hand to see why${hint(plan)}`)
    case 'done':
      return credentialsIn(options, result.output)
  }
}

function execInfo(plan: ExecPlan, target: Target, ca: string | undefined): object {
  const cluster = {
    server: target.server,
    'tls-server-name': target.serverName,
    'insecure-skip-tls-verify': target.insecure || undefined,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    config: plan.clusterConfig ?? null,
  }
  return {
    kind: 'ExecCredential',
    apiVersion: plan.apiVersion,
    spec: { cluster: plan.provideClusterInfo ? cluster : undefined, interactive: false },
  }
}

function credentialsIn(options: ExecOptions, output: string): ExecCredentials {
  const said = jsonOrUndefined(output)
  if (!isObject(said) || said['kind'] !== 'ExecCredential') {
    throw wrong(options, 'did not print an ExecCredential')
  }
  if (said['apiVersion'] !== options.plan.apiVersion) {
    throw wrong(options, `must print apiVersion ${options.plan.apiVersion}, as the kubeconfig asks`)
  }
  return usable(options, isObject(said['status']) ? said['status'] : {})
}

function usable(options: ExecOptions, status: Record<string, unknown>): ExecCredentials {
  const token = textIn(status['token'])?.trim()
  const cert = textIn(status['clientCertificateData'])
  const key = textIn(status['clientKeyData'])
  const problem = problemWith(token, cert, key)
  if (problem !== undefined) throw wrong(options, `printed ${problem}`)
  return { token, cert, key, expiresAt: expiryIn(options, status['expirationTimestamp']) }
}

function problemWith(token?: string, cert?: string, key?: string): string | undefined {
  if (!token && !cert && !key) return 'neither a token nor a certificate'
  if (token && 'problem' in checkedToken(token)) return 'a token that is none'
  if (!cert !== !key) return 'a certificate without its key, or the other way'
  if (!cert || !key || 'value' in checkedPair({ cert, key })) return undefined
  return 'a certificate and a key that cannot be used together'
}

function expiryIn(options: ExecOptions, timestamp: unknown): number | undefined {
  if (timestamp === undefined || timestamp === null) return undefined
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN
  if (Number.isNaN(at)) throw wrong(options, 'printed an expirationTimestamp that is not a time')
  return at
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const hint = (plan: ExecPlan): string => (plan.installHint ? `. ${plan.installHint.trim()}` : '')

const wrong = ({ target, plan }: ExecOptions, problem: string): InvalidInput =>
  new InvalidInput(`${target.origin}: the credential plugin ${plan.command} ${problem}`)
