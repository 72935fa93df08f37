import type { ObjectReference } from '@machinist/core/resource'

/** Why an input cannot be used. What it gave before stays in force. */
export interface InputProblem {
  readonly reason: string
  /** Which object, which key, where, and what to do. Never what it holds. */
  readonly message: string
  /** The object to look at, if it exists. */
  readonly about?: ObjectReference
}

export const problemReasons = {
  /** It should be there and is not. */
  missing: 'Missing',
  /** The API does not say whether it is there. */
  notReachable: 'NotReachable',
  /** It is no YAML, no certificate, or whatever it should be. */
  unreadable: 'Unreadable',
  /** It can be read, and says something that makes no sense. */
  badValue: 'BadValue',
  /** It belongs to another release than the rest of the cluster. */
  otherRelease: 'OtherRelease',
} as const
