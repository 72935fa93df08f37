import { systemClock } from '@machinist/core/clock'
import { systemSecureRandom } from '@machinist/core/secure-random'
import type { KubeClient } from '@machinist/kube/client/client'
import { connect } from '../../../process/connect.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { tokenRows } from '../../../views/provisioning/token-rows.ts'
import type { TokenCreateOptions, TokenListOptions, TokenRevokeOptions } from './token.ts'
import { createToken, listTokens, revokeTokens } from './token-secrets.ts'
import { tokenTable } from './token-table.ts'

export async function runTokenList(options: TokenListOptions, { out }: Terminal): Promise<void> {
  const { pool, output } = options
  const rows = await connected(options, async (client) =>
    tokenRows(await listTokens(client, pool), systemClock.now()),
  )
  out(output === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : tokenTable(rows))
}

export async function runTokenCreate(
  options: TokenCreateOptions,
  { out }: Terminal,
): Promise<void> {
  const { pool, singleUse, cidr, expires } = options
  const now = systemClock.now()
  const limits = {
    isSingleUse: singleUse,
    cidrs: cidr,
    expiresAt: expires === undefined ? undefined : now + expires,
  }
  const name = await connected(options, (client) =>
    createToken(client, { pool, limits, now, random: systemSecureRandom }),
  )
  out(
    `created Secret machinist-provisioning/${name}\nprint the pointer config with it: machinist pointer --pool ${pool} --token ${name}\n`,
  )
}

export async function runTokenRevoke(
  names: readonly string[],
  options: TokenRevokeOptions,
  { out }: Terminal,
): Promise<void> {
  const revoked = await connected(options, (client) => revokeTokens(client, options.pool, names))
  for (const name of revoked) out(`revoked machinist-provisioning/${name}\n`)
}

async function connected<T>(
  { kubeconfig }: { readonly kubeconfig?: string | undefined },
  work: (client: KubeClient) => Promise<T>,
): Promise<T> {
  const { client, close } = await connect({ kubeconfig })
  try {
    return await work(client)
  } finally {
    close()
  }
}
