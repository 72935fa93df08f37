import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'
import { escapeControls } from '../../text/style.ts'

/** Lines of a unified diff, which start with a blank, `+`, `-` or `@`; or one line that starts with `#` and explains why there is none. */
export function diffLines(before: Uint8Array, after: Uint8Array): string[] {
  if (Math.max(before.length, after.length) > maxBytes) return ['# too large to show']
  if (isBinary(before) || isBinary(after)) return ['# not text']
  const [old, current] = [Buffer.from(before).toString(), Buffer.from(after).toString()]
  const options = { context: 3, maxEditLength: maxEdits } as const
  const patch = structuredPatch('', '', old, current, undefined, undefined, options)
  if (!patch) return ['# too different to show']
  const lines: string[] = []
  for (const { oldStart, oldLines, newStart, newLines, lines: hunk } of patch.hunks) {
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...hunk.map(hunkLine))
  }
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines), `# ${lines.length - maxLines} more lines`]
}

const maxBytes = 1024 * 1024
const maxEdits = 2000
const maxLines = 60
const maxColumns = 400

const isBinary = (bytes: Uint8Array): boolean => !isUtf8(bytes) || bytes.includes(0)

/** A line that starts with a backslash is the diff's own remark about a missing newline at the end of the file. */
function hunkLine(line: string): string {
  if (line.startsWith('\\')) return '# no newline at the end of the file'
  const safe = escapeControls(line)
  return safe.length > maxColumns ? `${safe.slice(0, maxColumns)}…` : safe
}
