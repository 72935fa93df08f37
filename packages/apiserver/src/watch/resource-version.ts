import { Refusal } from '../refusal.ts'

/** A resourceVersion as a client gave it; undefined where it gave none. Throws what kube-apiserver answers to nonsense. */
export function parseResourceVersion(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d+$/.test(text)) throw unparsable(text, 'invalid syntax')
  if (BigInt(text) > largest) throw unparsable(text, 'value out of range')
  return Number(text)
}

const largest = 2n ** 64n - 1n

/** An internal error, oddly, but that is what it is there. */
const unparsable = (text: string, why: string): Refusal =>
  new Refusal(
    500,
    '',
    `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
  )

/** A version that the server has not seen yet, and does not see soon. */
export function tooLarge(asked: number, current: number): Refusal {
  return new Refusal(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}

export const tooOldToWatch = (asked: number, oldest: number): Refusal =>
  new Refusal(410, 'Expired', `too old resource version: ${asked} (${oldest})`)

export const tooOldToList = (): Refusal =>
  new Refusal(410, 'Expired', 'The resourceVersion for the provided list is too old.')

/** Asked for exactly, a version of the future is etcd's business, and these are its words. */
export const futureRevision = (): Refusal =>
  new Refusal(500, '', 'etcdserver: mvcc: required revision is a future revision')
