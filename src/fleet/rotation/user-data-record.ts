import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { readTimestamp, timestamp } from '@machinist/core/timestamp'

/**
 * The CAs in the user data of each pool: by pool and fingerprint, since when it contains the CA. The operator writes it to a
 * ConfigMap, one key for each pool, so that the signer needs no access to user data, which contains tokens.
 */
export type UserDataRecord = ReadonlyMap<string, ReadonlyMap<string, number>>

/** A value that cannot be read counts as user data without CAs. */
export function readUserDataRecord(data: Readonly<Record<string, unknown>> = {}): UserDataRecord {
  return new Map(Object.entries(data).map(([pool, text]) => [pool, authoritiesIn(text)]))
}

function authoritiesIn(text: unknown): ReadonlyMap<string, number> {
  const value = typeof text === 'string' ? jsonOrUndefined(text) : undefined
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([each, text]): [string, number][] => {
      const time = typeof text === 'string' ? readTimestamp(text) : undefined
      return time === undefined ? [] : [[each, time]]
    }),
  )
}

export function userDataRecordData(record: UserDataRecord): Record<string, string> {
  return Object.fromEntries(
    [...record].toSorted(byName).map(([pool, authorities]) => {
      const times = [...authorities].toSorted(byName)
      return [pool, JSON.stringify(Object.fromEntries(times.map(([a, at]) => [a, timestamp(at)])))]
    }),
  )
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1

/** The record of the CAs that user data contains now; `observed` has their fingerprints by pool. */
export function updatedRecord(
  before: UserDataRecord,
  observed: ReadonlyMap<string, readonly string[]>,
  now: number,
): UserDataRecord {
  return new Map(
    [...observed].map(([pool, authorities]) => [
      pool,
      new Map(authorities.map((each) => [each, before.get(pool)?.get(each) ?? now])),
    ]),
  )
}
