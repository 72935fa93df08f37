import { InvalidInput } from '@machinist/core/errors'
import { quoted } from '@machinist/core/quoted'
import type { SecureRandom } from '@machinist/core/secure-random'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { machineConfigPools } from '../../../api/kinds/resources.ts'
import { ownLabels } from '../../../api/labels.ts'
import { namespaces, provisioningToken } from '../../../api/names.ts'
import { parseRange } from '../../../fleet/network/address-range.ts'
import type { NewTokenLimits } from '../../../fleet/provisioning/token-rotation.ts'
import { newTokenSecret } from '../../../fleet/provisioning/token-rotation.ts'
import { tokenBytes, tokenText } from '../../../fleet/provisioning/token-text.ts'
import { checkPool } from '../pointer/read-pointer.ts'

const namespace = namespaces.provisioning

/** The token Secrets of one pool, or of all pools. */
export async function listTokens(client: KubeClient, pool?: string): Promise<Secret[]> {
  const found = client.listAll(secrets, {
    namespace,
    fields: `type=${provisioningToken.type}`,
    ...(pool !== undefined && { labels: `${ownLabels.pool}=${pool}` }),
  })
  return Array.fromAsync(found)
}

export interface TokenRequest {
  readonly pool: string
  readonly limits: NewTokenLimits
  readonly now: number
  readonly random: SecureRandom
}

/** Creates a token Secret, and returns its name. */
export async function createToken(client: KubeClient, request: TokenRequest): Promise<string> {
  const { pool, limits, now, random } = request
  const wrong = limits.cidrs?.find((cidr) => !parseRange(cidr))
  if (wrong !== undefined)
    throw new InvalidInput(`--cidr ${quoted(wrong)} is not a range such as 10.0.0.0/8 or fd00::/8`)
  const owner = await ignoreNotFound(client.get(machineConfigPools, { name: pool }))
  if (!owner) {
    await checkPool(client, pool)
    throw new InvalidInput(`pool ${pool} was deleted`)
  }
  const name = `token-${pool}-${Buffer.from(random.bytes(4)).toString('hex')}`
  const token = tokenText(random.bytes(tokenBytes))
  try {
    await client.create(secrets, newTokenSecret(name, owner, token, now, limits))
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new InvalidInput(
      `namespace ${namespace} does not exist: apply the manifests of this version`,
    )
  }
  return name
}

/** Deletes these tokens of a pool, or all; returns their names. Deletes nothing if one is not a token of the pool. */
export async function revokeTokens(
  client: KubeClient,
  pool: string,
  names: readonly string[],
): Promise<string[]> {
  const known = (await listTokens(client, pool)).map(({ metadata }) => metadata.name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0 || known.length === 0) {
    const problem = unknown.length > 0 ? `${unknown.join(', ')} not found` : 'no tokens'
    throw new InvalidInput(`pool ${pool}: ${problem}; its tokens: ${known.join(', ') || 'none'}`)
  }
  const revoked = names.length > 0 ? [...new Set(names)] : known
  for (const name of revoked) await ignoreNotFound(client.remove(secrets, { namespace, name }))
  return revoked
}
