import { InvalidInput } from '../base/errors.ts'
import type { File } from '../ignition/config.ts'
import { checkHash, inlineContent } from '../ignition/content.ts'
import { identical } from './files.ts'
import { plain } from '../base/quoted.ts'
import { octal } from './wording.ts'

/** Why the content of files cannot be written. What the node has already, written the same, has been judged before. */
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

/** What the node is refused whether it is new or not. */
export function fileReasons(files: ReadonlyMap<string, File>): string[] {
  const reasons: string[] = []
  for (const { path, append, mode } of files.values()) {
    if (append && append.length > 0) {
      reasons.push(`ignition file ${plain(path)} includes append, which a running node cannot do`)
    }
    if (mode !== undefined && (mode < 0 || mode > 0o777)) {
      reasons.push(`invalid mode ${octal(mode)} of file ${plain(path)}: it cannot exceed 0777`)
    }
  }
  return reasons
}

function contentProblem({ contents }: File): string | undefined {
  try {
    const bytes = inlineContent(contents)
    const wrong = contents !== undefined && checkHash(contents, bytes) === 'differs'
    return wrong ? 'the content does not match its verification hash' : undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
