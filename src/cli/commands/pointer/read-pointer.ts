import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isForbidden } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { machineConfigPools } from '../../../api/kinds/resources.ts'
import { namespaces } from '../../../api/names.ts'
import { inVersion, pointerVersionNamed, withToken } from '../../../fleet/provisioning/pointer.ts'
import { readTokenSecret } from '../../../fleet/provisioning/token-secret.ts'
import { userDataKey, userDataNamespaces } from '../../../fleet/provisioning/user-data-key.ts'

export interface PointerChanges {
  /** The Secret of another token. */
  readonly token?: string
  readonly ignitionVersion?: string
}

/** The pointer config of a pool from its user data, with these changes. */
export async function readPointer(
  client: KubeClient,
  pool: string,
  { token: tokenName, ignitionVersion: version }: PointerChanges = {},
): Promise<string> {
  const desired = version === undefined ? undefined : pointerVersionNamed(version)
  const { origin, pointer } = await readUserData(client, pool)
  const token = tokenName === undefined ? undefined : await readToken(client, pool, tokenName)
  const withOther = token === undefined ? pointer : withToken(pointer, token)
  const changed = withOther && desired ? inVersion(withOther, desired) : withOther
  if (changed === undefined) throw new InvalidInput(`${origin}: userData is not a pointer config`)
  return changed
}

async function readUserData(
  client: KubeClient,
  pool: string,
): Promise<{ origin: string; pointer: string }> {
  let refused: unknown
  for (const namespace of userDataNamespaces) {
    const key = userDataKey(pool, namespace)
    // A user may have permission for one of the namespaces only.
    const secret = await ignoreNotFound(client.get(secrets, key)).catch((error: unknown) => {
      if (!isForbidden(error)) throw error
      refused = error
      return undefined
    })
    const pointer = Buffer.from(secret?.data?.['userData'] ?? '', 'base64').toString()
    if (pointer !== '') return { origin: `Secret ${keyText(key)}`, pointer }
  }
  await checkPool(client, pool)
  if (refused !== undefined) throw refused
  throw new InvalidInput(
    `pool ${pool} has no user data yet: the operator creates it when it knows the host and the CA of the machine config server, and the pool has a provisioning token; its log states what is missing`,
  )
}

/** Explains a name that is not the name of a pool. */
export async function checkPool(client: KubeClient, pool: string): Promise<void> {
  const { items } = await client.listMetadata(machineConfigPools, { limit: 500 })
  const known = items.map(({ metadata }) => metadata.name)
  if (known.includes(pool)) return
  throw new InvalidInput(`pool ${pool} not found; known pools: ${known.join(', ') || 'none'}`)
}

async function readToken(client: KubeClient, pool: string, name: string): Promise<string> {
  const key = { namespace: namespaces.provisioning, name }
  const secret = await ignoreNotFound(client.get(secrets, key))
  const origin = `Secret ${keyText(key)}`
  if (!secret) throw new InvalidInput(`${origin} not found; see machinist token list`)
  const reading = readTokenSecret(secret)
  if (reading.type === 'invalid') throw new InvalidInput(`${origin}: ${reading.problem}`)
  const { token } = reading
  if (token.pool !== pool) throw new InvalidInput(`${origin} is a token of pool ${token.pool}`)
  return token.current
}
