import { timestamp } from '@machinist/core/timestamp'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { isConflict, isNotFound, withoutServerMessage } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import { namespaces } from '../../api/names.ts'
import type { TokenClient } from '../../fleet/provisioning/token-validity.ts'
import type { AccessDecision } from './access.ts'
import { refusalOf, refusalReasons, refuse } from './refusals.ts'
import type { KnownToken } from './token-match.ts'
import { knownToken, matchToken } from './token-match.ts'

/** Another server may change the Secret at the same time, but it is used only once: the second read decides. */
const maxAttempts = 3
const timeoutMs = 10_000

export interface TokenPresentation {
  readonly presented: string
  readonly client: TokenClient
  readonly now: number
}

/**
 * Records the use of a single-use token, before the config is served. The write is guarded by the resourceVersion, so that only
 * one client gets the config, however many servers there are.
 */
export async function claimSingleUse(
  known: KnownToken,
  presentation: TokenPresentation,
  { client, log }: Pick<ControllerContext, 'client' | 'log'>,
): Promise<AccessDecision> {
  const key = { namespace: namespaces.provisioning, name: known.token.name }
  try {
    let version = known.resourceVersion
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (await isRecorded(version)) return { type: 'allowed' }
      const newest = knownToken(await client.get(secrets, key, { timeoutMs }))
      const { presented, client: from, now } = presentation
      const match =
        typeof newest === 'string' ? undefined : matchToken([newest], presented, from, now)
      if (!match) return refuse(refusalReasons.unknownToken)
      if (match.verdict === 'allowed') return { type: 'allowed' }
      if (match.verdict !== 'allowed-once') return refusalOf(match.verdict)
      version = match.known.resourceVersion
    }
  } catch (error) {
    // Deleting the Secret revokes the token.
    if (isNotFound(error)) return refuse(refusalReasons.unknownToken)
    log.error('cannot record the use of a provisioning token', withoutServerMessage(error), {
      secret: key.name,
    })
  }
  return refuse(refusalReasons.tokensUnavailable)

  /** False if the Secret has changed since it was read. */
  async function isRecorded(resourceVersion: string): Promise<boolean> {
    const used = {
      [annotations.usedAt]: timestamp(presentation.now),
      [annotations.usedBy]: presentation.client.text,
    }
    const patch = mergePatch({ metadata: { resourceVersion, annotations: used } })
    try {
      await client.patchMetadata(secrets, key, patch, { timeoutMs })
      return true
    } catch (error) {
      if (isConflict(error)) return false
      throw error
    }
  }
}
