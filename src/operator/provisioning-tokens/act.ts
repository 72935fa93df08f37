import { Waiting } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { SecureRandom } from '@machinist/core/secure-random'
import { timestamp } from '@machinist/core/timestamp'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import {
  describeRefusal,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
  withoutServerMessage,
} from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import type { TokenPatch } from '../../fleet/provisioning/token-rotation.ts'
import {
  newTokenSecret,
  replaceToken,
  retirePrevious,
  rotateToken,
} from '../../fleet/provisioning/token-rotation.ts'
import { managedTokenKey, readTokenSecret } from '../../fleet/provisioning/token-secret.ts'
import { tokenBytes, tokenText } from '../../fleet/provisioning/token-text.ts'
import type { ProvisioningTokenPlan, TokenStep } from './decide.ts'
import type { ProvisioningTokenFacts } from './facts.ts'

export interface ProvisioningTokenResult {
  /** Why the API server refused the write, if it did. */
  readonly refusal?: string
}

/** One write, or none. New tokens exist in this step and in the Secret only. */
export async function act(
  plan: ProvisioningTokenPlan,
  facts: ProvisioningTokenFacts,
  step: StepContext,
  chance: SecureRandom,
): Promise<ProvisioningTokenResult> {
  const key = managedTokenKey(facts.name)
  const { action } = plan.write
  try {
    await write(plan, facts, step, () => tokenText(chance.bytes(tokenBytes)))
    return {}
  } catch (error) {
    if (isRefused(error)) return { refusal: describeRefusal(`Secret ${keyText(key)}`, error) }
    // A namespace that does not exist: the patch and the deletion of a Secret that is gone are complete.
    if (isNotFound(error)) return action === 'create' ? { refusal: noNamespace } : {}
    // Created concurrently: a watch event follows.
    if (isAlreadyExists(error)) return {}
    if (!isConflict(error)) throw withoutServerMessage(error)
    throw new Waiting('Changed', `Secret ${keyText(key)} was changed concurrently`, catchUpMs)
  }
}

const noNamespace =
  'namespace machinist-provisioning does not exist: apply the manifests of this version'

async function write(
  { write: change, settings }: ProvisioningTokenPlan,
  facts: ProvisioningTokenFacts,
  { client, log, signal }: StepContext,
  newToken: () => string,
): Promise<void> {
  const { name, pool, now } = facts
  const key = managedTokenKey(name)
  if (change.action === 'create') {
    await client.create(secrets, newTokenSecret(key.name, pool!, newToken(), now), { signal })
    log.info('created the provisioning token of a pool')
  } else if (change.action === 'change') {
    const { step, repairs, resourceVersion } = change
    const patch = patchFor(step, facts, settings.overlapMs, newToken)
    const metadata = {
      resourceVersion,
      ...repairs,
      annotations: { ...repairs.annotations, ...patch.annotations },
    }
    // The response without the data: it would contain the token.
    const body = mergePatch({ metadata, data: patch.data })
    await client.patchMetadata(secrets, key, body, { signal })
    log.info('changed the provisioning token of a pool', { step })
  } else if (change.action === 'remove') {
    await client.remove(secrets, key, { uid: change.uid, signal })
    log.info('removed the provisioning token of a deleted pool')
  }
}

function patchFor(
  step: TokenStep,
  { secret, now }: ProvisioningTokenFacts,
  overlapMs: number,
  newToken: () => string,
): TokenPatch {
  switch (step) {
    case 'rotate': {
      const reading = readTokenSecret(secret!)
      if (reading.type === 'invalid') throw new TypeError('only a readable token is rotated')
      return rotateToken(reading.token, newToken(), now, { overlapMs })
    }
    case 'replace':
      return replaceToken(newToken(), now)
    case 'retire':
      return retirePrevious
    case 'date':
      return { annotations: { [annotations.issuedAt]: timestamp(now) }, data: {} }
    case 'keep':
      return { annotations: {}, data: {} }
  }
}
