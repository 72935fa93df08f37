import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { badRequest, invalid, StatusError } from '../../status/status-error.ts'
import type { DeleteOptions } from '../delete.ts'
import { deleteOptions } from '../request-options.ts'
import type { NamedTarget } from '../update.ts'
import type { WriteOptions } from '../verb-context.ts'

/** The DeleteOptions of an Eviction. Both query and body can request a dry run. */
export function evictionDeletion(
  { name, namespace }: Pick<NamedTarget, 'name' | 'namespace'>,
  eviction: ApiObject,
  { dryRun }: Pick<WriteOptions, 'dryRun'>,
): DeleteOptions {
  const { metadata } = eviction
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  if (metadata.name !== name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  const sent = isObject(eviction['deleteOptions']) ? eviction['deleteOptions'] : {}
  if (sent[unsafe] === true) throw notForPods(name)
  const requested = Array.isArray(sent['dryRun']) ? sent['dryRun'].map(String) : []
  if (dryRun && requested.length > 0 && requested.join(' ') !== 'All') {
    throw new StatusError(
      500,
      '',
      `Non-matching dry-run options in request and content: [All] and [${requested.join(' ')}]`,
    )
  }
  const deletion = deleteOptions(new URLSearchParams(), sent)
  return { ...deletion, dryRun: dryRun || deletion.dryRun }
}

const unsafe = 'ignoreStoreReadErrorWithClusterBreakingPotential'

const notForPods = (name: string): StatusError =>
  invalid({ group: 'policy', resource: 'evictions', kind: 'Eviction', name }, [
    {
      reason: 'FieldValueInvalid',
      message:
        'Invalid value: true: can not be set for pod eviction, try after removing the option',
      field: `deleteOptions.${unsafe}`,
    },
  ])
