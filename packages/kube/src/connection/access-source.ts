import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Access } from './connection.ts'
import type { ExecCredentials } from './exec-credentials.ts'
import { execCredentials } from './exec-credentials.ts'
import type { Files } from '@machinist/core/files'
import type { KeyPair } from './material.ts'
import { checkedBundle, checkedPair, checkedToken } from './material.ts'
import { Reread } from './reread.ts'
import type { RunCommand } from './run-command.ts'
import type { Target } from './target.ts'

/** Where an access comes from, to be looked at as often as needed. */
export interface AccessSource {
  /** Can a second look show anything new? */
  readonly changeable: boolean
  /** Is what was seen last known to be over? */
  expired(): boolean
  /** `refused`: the server did not accept what was seen last, whatever it claims about itself. */
  look(refused: boolean): Promise<Access>
}

export interface AccessSourceOptions {
  readonly target: Target
  readonly files: Files
  readonly run: RunCommand
  readonly clock: Clock
  readonly logger: Logger
}

export function accessSource(options: AccessSourceOptions): AccessSource {
  const { target, clock } = options
  const plan = target.exec
  const items = itemsOf(options)
  let plugin: ExecCredentials | undefined
  const expired = (): boolean => plugin?.expiresAt !== undefined && clock.now() >= plugin.expiresAt
  return {
    changeable:
      plan !== undefined || Object.values(items).some((item) => item?.changeable ?? false),
    expired,
    async look(refused) {
      const ca = await items.ca?.read()
      const pair = await items.pair?.read()
      const token = await items.token?.read()
      if (plan && (!plugin || refused || expired())) {
        plugin = await execCredentials({ ...options, plan }, ca)
      }
      const { cert, key } = pair ?? plugin ?? {}
      return {
        server: target.server,
        tls: { ca, cert, key, serverName: target.serverName, insecure: target.insecure },
        headers: headersFor(target, token ?? plugin?.token),
      }
    },
  }
}

interface Items {
  readonly ca?: Reread<string>
  readonly pair?: Reread<KeyPair>
  readonly token?: Reread<string>
}

/** A bad file only ever holds up its own item. */
function itemsOf({ target, files, logger }: AccessSourceOptions): Items {
  const { ca, cert, key, token, origin } = target
  const shared = { files, logger }
  return {
    ca:
      ca &&
      new Reread({
        ...shared,
        what: `the certificate authority of ${origin}`,
        sources: [ca],
        check: ([bundle]) => checkedBundle(bundle!),
      }),
    pair:
      cert &&
      key &&
      new Reread({
        ...shared,
        what: `the client certificate of ${origin}`,
        sources: [cert, key],
        check: (texts) => checkedPair({ cert: texts[0]!, key: texts[1]! }),
      }),
    token:
      token &&
      new Reread({
        ...shared,
        what: `the token of ${origin}`,
        sources: [token],
        check: ([text]) => checkedToken(text!),
      }),
  }
}

function headersFor(target: Target, token: string | undefined): Access['headers'] {
  return { ...authorization(target, token), ...impersonation(target) }
}

function authorization({ basic }: Target, token: string | undefined): Access['headers'] {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (!basic) return {}
  const pair = Buffer.from(`${basic.username}:${basic.password}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

function impersonation({ impersonate: as }: Target): Access['headers'] {
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
