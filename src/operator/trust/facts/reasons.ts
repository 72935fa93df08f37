import { problemReasons } from '../../inputs/problem.ts'

/** Reasons of invalid trust sources in conditions. */
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
