import type { Clock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { checkKeyPair, checkToken } from './material.ts'
import type { RunCommand } from './run-command.ts'
import type { ExecPlan, Target } from './target.ts'

/** The output of a credential plugin. */
export interface ExecCredentials {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  /** Milliseconds since the epoch; absent if the credentials are valid until the server rejects them. */
  readonly expiresAt?: number
}

export interface ExecOptions {
  readonly target: Target
  readonly plan: ExecPlan
  readonly run: RunCommand
  readonly clock: Clock
}

/** Runs the plugin and parses its output. Messages never quote the output or the environment. */
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
  switch (result.type) {
    case 'not-found':
      throw pluginError(options, `was not found${installHint(plan)}`)
    case 'not-startable':
      throw pluginError(options, `cannot be started (${result.code})${installHint(plan)}`)
    case 'timed-out':
      throw pluginError(options, 'did not finish in time')
    case 'output-too-large':
      throw pluginError(options, 'prints too much output')
    case 'failed':
      throw pluginError(
        options,
        `failed (${result.reason}): run it manually to see the error${installHint(plan)}`,
      )
    case 'succeeded':
      return parseExecCredential(options, result.output)
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

function parseExecCredential(options: ExecOptions, output: string): ExecCredentials {
  const credential = jsonOrUndefined(output)
  if (!isObject(credential) || credential['kind'] !== 'ExecCredential') {
    throw pluginError(options, 'did not print an ExecCredential')
  }
  if (credential['apiVersion'] !== options.plan.apiVersion) {
    throw pluginError(
      options,
      `must print apiVersion ${options.plan.apiVersion}, which the kubeconfig requires`,
    )
  }
  return parseStatus(options, isObject(credential['status']) ? credential['status'] : {})
}

function parseStatus(options: ExecOptions, status: Record<string, unknown>): ExecCredentials {
  const token = nonEmptyString(status['token'])?.trim()
  const cert = nonEmptyString(status['clientCertificateData'])
  const key = nonEmptyString(status['clientKeyData'])
  const problem = findProblem(token, cert, key)
  if (problem !== undefined) throw pluginError(options, `printed ${problem}`)
  return { token, cert, key, expiresAt: parseExpiry(options, status['expirationTimestamp']) }
}

function findProblem(token?: string, cert?: string, key?: string): string | undefined {
  if (!token && !cert && !key) return 'neither a token nor a certificate'
  if (token && 'problem' in checkToken(token)) return 'an invalid token'
  if (!cert !== !key) return 'a certificate without a key, or a key without a certificate'
  if (!cert || !key || 'value' in checkKeyPair({ cert, key })) return undefined
  return 'a certificate and a key that do not match'
}

function parseExpiry(options: ExecOptions, timestamp: unknown): number | undefined {
  if (timestamp === undefined || timestamp === null) return undefined
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN
  if (Number.isNaN(at)) throw pluginError(options, 'printed an invalid expirationTimestamp')
  return at
}

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const installHint = (plan: ExecPlan): string =>
  plan.installHint ? `. ${plan.installHint.trim()}` : ''

const pluginError = ({ target, plan }: ExecOptions, problem: string): InvalidInput =>
  new InvalidInput(`${target.origin}: the credential plugin ${plan.command} ${problem}`)
