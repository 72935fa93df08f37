import type { Config, File } from './spec/config.ts'
import type { MergeTrace } from './merge-context.ts'
import { merge } from './merge.ts'

/**
 * Merges the configs of a pool for its nodes. Differs from Ignition's merge in two points: contents that replace compressed ones do
 * not inherit the compression, and files overwrite existing ones by default, so that new and updated machines have the same files.
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

/** Ignition rejects `overwrite` without a source, so such a file is not changed. */
function withOverwrite(file: File): File {
  const isDecided = file.overwrite !== undefined || file.contents?.source === undefined
  return isDecided ? file : { ...file, overwrite: true }
}
