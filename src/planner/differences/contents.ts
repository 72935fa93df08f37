import { InvalidInput } from '@machinist/core/errors'
import type { Config, File } from '@machinist/ignition/spec/config'
import { notInline } from '@machinist/ignition/content'
import { contentFacts, maxUnpackedBytes, oversizedFiles } from '@machinist/ignition/content-facts'
import { plain } from '@machinist/core/quoted'
import { listed, mebibytes, octal } from '../model/wording.ts'
import { identical } from './files.ts'

/** Why the contents of files cannot be written. Unchanged files were checked before. */
export function contentReasons(
  before: ReadonlyMap<string, File>,
  after: ReadonlyMap<string, File>,
  forced: boolean,
): string[] {
  const reasons: string[] = []
  for (const [path, file] of after) {
    const old = before.get(path)
    if (!forced && old && identical(old, file)) continue
    const problem = contentProblem(file)
    if (problem !== undefined) reasons.push(`file ${plain(path)}: ${problem}`)
  }
  return reasons
}

/** Why the compressed files are too large in total. */
export function sizeReasons(config: Config): string[] {
  const files = oversizedFiles(config)
  if (files.length === 0) return []
  const some = listed(files.map(({ path, size }) => `file ${plain(path)} (${mebibytes(size)})`))
  return [`compressed files decompress to more than ${mebibytes(maxUnpackedBytes)}: ${some}`]
}

/** Reasons against files, whether they changed or not. */
export function fileReasons(files: ReadonlyMap<string, File>): string[] {
  const reasons: string[] = []
  for (const { path, append, mode } of files.values()) {
    if (append && append.length > 0) {
      reasons.push(
        `ignition file ${plain(path)} includes append, which is not supported on a running node`,
      )
    }
    if (mode !== undefined && (mode < 0 || mode > 0o777)) {
      reasons.push(`invalid mode ${octal(mode)} of file ${plain(path)}: it cannot exceed 0777`)
    }
  }
  return reasons
}

function contentProblem({ contents }: File): string | undefined {
  try {
    const facts = contentFacts(contents)
    return facts.inline ? facts.hashProblem : notInline(facts.url).message
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
