import type { Config, File } from './config.ts'
import type { MergeTrace } from './merge-context.ts'
import { merge } from './merge.ts'

/**
 * The config of a node from the configs of its pool: Ignition's merge, with what a node needs on top. Plain contents that
 * replace compressed ones are not taken for compressed, and files overwrite what is there unless told otherwise,
 * so that a new machine ends up with the same files as one that was updated.
 */
export function mergeForNodes(configs: readonly Config[], trace?: MergeTrace): Config {
  const merged = merge(configs, { contentsAsOne: true, ...(trace && { trace }) })
  if (!merged.storage?.files) return merged
  return { ...merged, storage: { ...merged.storage, files: merged.storage.files.map(forNode) } }
}

function forNode(file: File): File {
  return withOverwrite(withoutEmptyCompression(file))
}

function withoutEmptyCompression(file: File): File {
  if (file.contents?.compression !== '') return file
  const { compression: _, ...contents } = file.contents
  return { ...file, contents }
}

/** Ignition refuses to overwrite with nothing, so a file without a source is left as it is. */
function withOverwrite(file: File): File {
  const decided = file.overwrite !== undefined || file.contents?.source === undefined
  return decided ? file : { ...file, overwrite: true }
}
