import { StatusError } from '../status/status-error.ts'

/** Parses a client's resourceVersion; undefined if absent. Throws kube-apiserver's error if invalid. */
export function parseResourceVersion(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d+$/.test(text)) throw unparsable(text, 'invalid syntax')
  if (BigInt(text) > largest) throw unparsable(text, 'value out of range')
  return Number(text)
}

const largest = 2n ** 64n - 1n

/** An internal error, as in kube-apiserver. */
const unparsable = (text: string, why: string): StatusError =>
  new StatusError(
    500,
    '',
    `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
  )

/** A version that the store does not reach in time. */
export function tooLarge(requested: number, current: number): StatusError {
  return new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${requested}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}

export const tooOldToWatch = (requested: number, oldest: number): StatusError =>
  new StatusError(410, 'Expired', `too old resource version: ${requested} (${oldest})`)

export const tooOldToList = (): StatusError =>
  new StatusError(410, 'Expired', 'The resourceVersion for the provided list is too old.')

/** With resourceVersionMatch=Exact a future version is an error of etcd. */
export const futureRevision = (): StatusError =>
  new StatusError(500, '', 'etcdserver: mvcc: required revision is a future revision')
