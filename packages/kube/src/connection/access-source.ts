import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { FileReader } from '@machinist/core/files'
import type { Access } from './connection.ts'
import type { ExecCredentials } from './exec-credentials.ts'
import { execCredentials } from './exec-credentials.ts'
import type { KeyPair } from './material.ts'
import { checkBundle, checkKeyPair, checkToken } from './material.ts'
import { ReloadedValue } from './reloaded-value.ts'
import type { RunCommand } from './run-command.ts'
import type { Target } from './target.ts'

/** Reads the current access from its sources. */
export interface AccessSource {
  /** Whether the access can change. */
  readonly changeable: boolean
  /** Whether the last access has expired. */
  expired(): boolean
  /** `rejected`: the server rejected the last access, even if it has not expired. */
  read(rejected: boolean): Promise<Access>
}

export interface AccessSourceOptions {
  readonly target: Target
  readonly files: FileReader
  readonly run: RunCommand
  readonly clock: Clock
  readonly logger: Logger
}

export function accessSource(options: AccessSourceOptions): AccessSource {
  const { target, clock } = options
  const plan = target.exec
  const items = createItems(options)
  let plugin: ExecCredentials | undefined
  const expired = (): boolean => plugin?.expiresAt !== undefined && clock.now() >= plugin.expiresAt
  return {
    changeable:
      plan !== undefined || Object.values(items).some((item) => item?.changeable ?? false),
    expired,
    async read(rejected) {
      const ca = await items.ca?.read()
      const pair = await items.pair?.read()
      const token = await items.token?.read()
      if (plan && (!plugin || rejected || expired())) {
        plugin = await execCredentials({ ...options, plan }, ca)
      }
      const { cert, key } = pair ?? plugin ?? {}
      return {
        server: target.server,
        tls: { ca, cert, key, serverName: target.serverName, insecure: target.insecure },
        headers: requestHeaders(target, token ?? plugin?.token),
      }
    },
  }
}

interface Items {
  readonly ca?: ReloadedValue<string>
  readonly pair?: ReloadedValue<KeyPair>
  readonly token?: ReloadedValue<string>
}

/** Each item is read separately, so that an invalid file affects only its own item. */
function createItems({ target, files, logger }: AccessSourceOptions): Items {
  const { ca, cert, key, token, origin } = target
  const shared = { files, logger }
  return {
    ca:
      ca &&
      new ReloadedValue({
        ...shared,
        name: `the certificate authority of ${origin}`,
        sources: [ca],
        check: ([bundle]) => checkBundle(bundle!),
      }),
    pair:
      cert &&
      key &&
      new ReloadedValue({
        ...shared,
        name: `the client certificate of ${origin}`,
        sources: [cert, key],
        check: (texts) => checkKeyPair({ cert: texts[0]!, key: texts[1]! }),
      }),
    token:
      token &&
      new ReloadedValue({
        ...shared,
        name: `the token of ${origin}`,
        sources: [token],
        check: ([text]) => checkToken(text!),
      }),
  }
}

function requestHeaders(target: Target, token: string | undefined): Access['headers'] {
  return { ...authorizationHeader(target, token), ...impersonationHeaders(target) }
}

function authorizationHeader({ basic }: Target, token: string | undefined): Access['headers'] {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (!basic) return {}
  const pair = Buffer.from(`${basic.username}:${basic.password}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

function impersonationHeaders({ impersonate: as }: Target): Access['headers'] {
  if (!as) return {}
  const extras = Object.entries(as.extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, values] as const,
  )
  return {
    'impersonate-user': as.user,
    ...(as.uid === undefined ? {} : { 'impersonate-uid': as.uid }),
    ...(as.groups.length === 0 ? {} : { 'impersonate-group': as.groups }),
    ...Object.fromEntries(extras),
  }
}
