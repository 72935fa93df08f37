import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import {
  describeRefusal,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
} from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { trustRotations } from '../../api/kinds/resources.ts'
import { names, userDataRecord } from '../../api/names.ts'
import type { RecordChange, RotationChange, ServerCertificatesPlan } from './decide.ts'
import type { ServerCertificatesFacts } from './facts.ts'

export interface ServerCertificatesResult {
  /** The writes that the API server refused. */
  readonly refusals: readonly string[]
}

type WriteContext = Pick<StepContext, 'client' | 'signal' | 'log'>

/** A refused write does not stop the other. */
export async function act(
  { rotation, record }: ServerCertificatesPlan,
  _facts: ServerCertificatesFacts,
  step: StepContext,
): Promise<ServerCertificatesResult> {
  const refusals = [
    ...(rotation
      ? await refusalOf(`TrustRotation ${names.serverRotation}`, writeRotation(rotation, step))
      : []),
    ...(record
      ? await refusalOf(`ConfigMap ${userDataRecord.name}`, writeRecord(record, step))
      : []),
  ]
  return { refusals }
}

async function writeRotation(
  change: RotationChange,
  { client, signal, log }: WriteContext,
): Promise<void> {
  if ('replace' in change) {
    await client.replace(trustRotations, change.replace, { signal })
    log.info('updated the rotation of the machine config server')
    return
  }
  const { create, bundle } = change
  if (bundle) {
    const creating = client.create(configMaps, bundle, { signal })
    await creating.catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
  await client.create(trustRotations, create, { signal })
  log.info('created the rotation of the machine config server')
}

async function writeRecord(change: RecordChange, { client, signal }: WriteContext): Promise<void> {
  if ('create' in change) await client.create(configMaps, change.create, { signal })
  else await client.patch(configMaps, userDataRecord, mergePatch(change), { signal })
}

async function refusalOf(what: string, writing: Promise<void>): Promise<string[]> {
  try {
    await writing
    return []
  } catch (error) {
    if (isRefused(error)) return [describeRefusal(what, error)]
    if (isConflict(error))
      throw new Waiting('Changed', `${what} was changed concurrently`, catchUpMs)
    // Created or deleted concurrently: a watch event follows.
    if (isAlreadyExists(error) || isNotFound(error)) return []
    throw error
  }
}
