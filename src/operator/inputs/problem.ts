import type { ObjectReference } from '@machinist/core/objects/resource'

/** Why an input is invalid. Its last valid value stays in effect. */
export interface InputProblem {
  readonly reason: string
  /** The object, the key, the problem and what to do. Never contains values. */
  readonly message: string
  /** The object that causes the problem, if it exists. */
  readonly about?: ObjectReference
}

export const problemReasons = {
  /** A required object does not exist. */
  missing: 'Missing',
  /** The operator cannot list, watch or get it. */
  notReachable: 'NotReachable',
  /** It is not valid YAML, JSON or PEM. */
  unreadable: 'Unreadable',
  /** It has an invalid value. */
  badValue: 'BadValue',
  /** It belongs to another release than the rest of the cluster. */
  otherRelease: 'OtherRelease',
} as const
