import { contentDigest } from '@machinist/core/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { KubeObject } from '@machinist/core/resource'
import { names } from './names.ts'

/** A digest of the image sets of each pool that has some: enough for a node to tell whether it has to read any of them. */
export type PinnedDigests = ReadonlyMap<string, string>

/** One PinnedImageSet at one moment. */
export interface SetVersion {
  readonly name: string
  readonly uid: string
  readonly generation: number
}

export const versionOf = ({ metadata }: Readonly<KubeObject>): SetVersion => {
  const { name, uid = '', generation = 1 } = metadata
  return { name, uid, generation }
}

/** The same whatever the order; another one when a set comes, goes, changes, or is made anew. */
export function pinnedDigest(sets: readonly SetVersion[]): string {
  const versions = sets.map(({ name, uid, generation }) => [name, { uid, generation }])
  return contentDigest(Object.fromEntries(versions)).slice(0, digestLength)
}

const digestLength = 32

/** As the annotation has them; undefined if nobody can understand it. Without one, no pool pins anything. */
export function readPinnedDigests(annotation: string | undefined): PinnedDigests | undefined {
  if (annotation === undefined) return new Map()
  const said = jsonOrUndefined(annotation)
  if (!isObject(said)) return undefined
  return new Map(
    Object.entries(said).flatMap(([pool, digest]) =>
      typeof digest === 'string' ? [[pool, digest] as const] : [],
    ),
  )
}

/** Undefined where there is nothing to say. */
export function writePinnedDigests(digests: PinnedDigests): string | undefined {
  if (digests.size === 0) return undefined
  const sorted = [...digests].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted))
}

/** The pool that a configuration was rendered for, by its name; undefined if it is not named so. */
export function poolOfRendered(config: string): string | undefined {
  if (!config.startsWith(names.renderedPrefix)) return undefined
  const pool = config.slice(names.renderedPrefix.length, config.lastIndexOf('-'))
  return pool === '' || config.endsWith('-') ? undefined : pool
}
