import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'
import { harmless } from '../style.ts'

/** Lines of a unified diff: each begins with a blank, `+`, `-` or `@`. Or one that begins with `#` and says why not. */
export function diffLines(before: Uint8Array, after: Uint8Array): string[] {
  if (Math.max(before.length, after.length) > mostBytes) return ['# too large to be shown']
  if (isBinary(before) || isBinary(after)) return ['# not text']
  const [old, now] = [Buffer.from(before).toString(), Buffer.from(after).toString()]
  const options = { context: 3, maxEditLength: mostEdits } as const
  const patch = structuredPatch('', '', old, now, undefined, undefined, options)
  if (!patch) return ['# too different to be shown']
  const lines: string[] = []
  for (const { oldStart, oldLines, newStart, newLines, lines: hunk } of patch.hunks) {
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...hunk.map(shown))
  }
  if (lines.length <= mostLines) return lines
  return [...lines.slice(0, mostLines), `# ${lines.length - mostLines} more lines`]
}

const mostBytes = 1024 * 1024
const mostEdits = 2000
const mostLines = 60
const mostColumns = 400

const isBinary = (bytes: Uint8Array): boolean => !isUtf8(bytes) || bytes.includes(0)

/** A remark of the diff's own begins with a backslash: no newline at the end of the file. */
function shown(line: string): string {
  if (line.startsWith('\\')) return '# no newline at the end of the file'
  const safe = harmless(line)
  return safe.length > mostColumns ? `${safe.slice(0, mostColumns)}…` : safe
}
