import { problemReasons } from '../inputs/problem.ts'

/** Why a source of trust cannot be used, in conditions. */
export const trustReasons = {
  ...problemReasons,
  missingKey: 'MissingKey',
  wrongType: 'WrongType',
  empty: 'Empty',
  notPem: 'NotPEM',
  brokenPem: 'BrokenPEM',
  notJson: 'NotJSON',
  expired: 'Expired',
  tooLarge: 'TooLarge',
} as const
