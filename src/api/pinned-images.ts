import { contentDigest } from '@machinist/core/encoding/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import { names } from './names.ts'

/** A digest of the PinnedImageSets of each pool that has some. Daemons read the sets only if the digest changed. */
export type PinnedDigests = ReadonlyMap<string, string>

/** A version of a PinnedImageSet. */
export interface PinnedImageSetVersion {
  readonly name: string
  readonly uid: string
  readonly generation: number
}

export const pinnedImageSetVersionOf = ({
  metadata,
}: Readonly<KubeObject>): PinnedImageSetVersion => {
  const { name, uid = '', generation = 1 } = metadata
  return { name, uid, generation }
}

/** A digest that is independent of the order and changes when a set is added, removed, changed or recreated. */
export function pinnedDigest(sets: readonly PinnedImageSetVersion[]): string {
  const versions = sets.map(({ name, uid, generation }) => [name, { uid, generation }])
  return contentDigest(Object.fromEntries(versions)).slice(0, digestLength)
}

const digestLength = 32

/** Parses the annotation; undefined if it is not a JSON object. If absent, no pool pins images. */
export function readPinnedDigests(annotation: string | undefined): PinnedDigests | undefined {
  if (annotation === undefined) return new Map()
  const parsed = jsonOrUndefined(annotation)
  if (!isObject(parsed)) return undefined
  return new Map(
    Object.entries(parsed).flatMap(([pool, digest]) =>
      typeof digest === 'string' ? [[pool, digest] as const] : [],
    ),
  )
}

/** The annotation; undefined if no pool pins images. */
export function writePinnedDigests(digests: PinnedDigests): string | undefined {
  if (digests.size === 0) return undefined
  const sorted = [...digests].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted))
}

/** The pool in the name of a rendered MachineConfig; undefined for other names. */
export function poolOfRendered(config: string): string | undefined {
  if (!config.startsWith(names.renderedPrefix)) return undefined
  const pool = config.slice(names.renderedPrefix.length, config.lastIndexOf('-'))
  return pool === '' || config.endsWith('-') ? undefined : pool
}
