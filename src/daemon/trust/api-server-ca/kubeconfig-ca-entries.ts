import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'

/* Reads kubeconfigs as kubelets and installers write them: JSON, or block-style YAML. A YAML library would need more memory
   than the rest of the daemon. Everything else is refused, so that no file is changed by a guess. */

/** One entry of `clusters`. */
export interface ClusterEntry {
  /** The value of `certificate-authority-data` and its position in the text, without quotes. */
  readonly data?: Span
  /** Whether `certificate-authority` is set. */
  readonly hasFile: boolean
}

export interface Span {
  readonly value: string
  readonly start: number
  readonly end: number
}

export function clusterEntries(text: string, path: string): ClusterEntry[] {
  const found = text.trimStart().startsWith('{') ? inJson(text) : inBlocks(text)
  if (typeof found !== 'string') return found
  throw new InvalidInput(
    `${path} cannot be read: ${found}. It must be JSON, or YAML with one "key: value" per line`,
  )
}

const dataKey = 'certificate-authority-data'
const fileKey = 'certificate-authority'

/** Parses the JSON; finds the positions of the values by their keys, and checks that both agree. */
function inJson(text: string): ClusterEntry[] | string {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return 'it is not valid JSON'
  }
  const spans = [...text.matchAll(/"certificate-authority-data"\s*:\s*"([^"\\]+)"/g)].map(
    (match): Span => {
      const [all, value = ''] = match
      const end = match.index + all.length - 1
      return { value, start: end - value.length, end }
    },
  )
  const listed = isObject(root) ? (root['clusters'] ?? []) : []
  if (!Array.isArray(listed)) return '"clusters" is not a list'
  const entries: ClusterEntry[] = []
  let next = 0
  for (const entry of listed as readonly unknown[]) {
    const cluster = isObject(entry) && isObject(entry['cluster']) ? entry['cluster'] : {}
    const hasFile = isSet(cluster[fileKey])
    const data = isSet(cluster[dataKey]) ? spans[next++] : undefined
    if (data?.value !== (cluster[dataKey] || undefined)) return elsewhere
    entries.push({ ...(data && { data }), hasFile })
  }
  return next >= spans.length ? entries : elsewhere
}

const elsewhere = `"${dataKey}" is not where it is expected`

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

interface Line {
  /** Position in the text of the first character after spaces and list dashes. */
  readonly start: number
  /** Column of that character. */
  readonly indent: number
  /** The rest of the line from there. */
  readonly content: string
  /** Column of the dash, if the line begins a list entry. */
  readonly dash?: number
}

function inBlocks(text: string): ClusterEntry[] | string {
  const lines = linesOf(text)
  if (typeof lines === 'string') return lines
  const roots = lines.flatMap((line, i) => (keyOf(line) === 'clusters' && isRoot(line) ? [i] : []))
  if (roots.length > 1) return '"clusters" occurs twice'
  const [root] = roots
  if (root === undefined)
    return looksLikeBlocks(lines) ? [] : 'it is not a mapping of keys to values'
  const value = valueOf(lines[root]!)
  if (value !== '') {
    return /^(\[\s*\]|null|~)$/.test(value) ? [] : '"clusters" is not a list, one entry per line'
  }
  return entriesOf(lines.slice(root + 1))
}

const isRoot = ({ indent, dash }: Line): boolean => indent === 0 && dash === undefined

const looksLikeBlocks = (lines: readonly Line[]): boolean =>
  lines.every(
    (line) => !isRoot(line) || keyOf(line) !== undefined || /^(---|\.\.\.)/.test(line.content),
  )

function entriesOf(below: readonly Line[]): ClusterEntry[] | string {
  const end = below.findIndex(isRoot)
  const lines = end < 0 ? below : below.slice(0, end)
  const dash = lines[0]?.dash
  if (dash === undefined) return lines.length === 0 ? [] : '"clusters" is not a list'
  if (lines.some(({ content }) => content === '-'))
    return 'an entry of "clusters" begins with an empty line'
  const entries: ClusterEntry[] = []
  const starts = lines.flatMap((line, i) => (line.dash === dash ? [i] : []))
  for (const [i, from] of starts.entries()) {
    const entry = entryOf(lines.slice(from, starts[i + 1]))
    if (typeof entry === 'string') return `cluster ${entries.length + 1}: ${entry}`
    entries.push(entry)
  }
  return entries
}

function entryOf(lines: readonly Line[]): ClusterEntry | string {
  const { indent } = lines[0]!
  if (lines.some((line) => line.indent < indent)) return 'its lines are not aligned'
  const at = lines.findIndex((line) => line.indent === indent && keyOf(line) === 'cluster')
  if (at < 0) return { hasFile: false }
  if (valueOf(lines[at]!) !== '') return '"cluster" is not one "key: value" per line'
  const below = lines.slice(at + 1)
  const end = below.findIndex((line) => line.indent <= indent)
  return clusterOf(end < 0 ? below : below.slice(0, end))
}

function clusterOf(members: readonly Line[]): ClusterEntry | string {
  const own = members.filter((line) => line.indent === members[0]!.indent)
  if (own.some((line) => keyOf(line) === undefined)) return '"cluster" has a line without a key'
  const [data, another] = own.filter((line) => keyOf(line) === dataKey)
  if (another) return `"${dataKey}" occurs twice`
  const span = data && spanOf(data)
  if (typeof span === 'string') return span
  // Continuation lines would stay in the file.
  const next = data && members[members.indexOf(data) + 1]
  if (next && next.indent > data.indent) return `"${dataKey}" takes more than one line`
  const file = own.find((line) => keyOf(line) === fileKey)
  return { ...(span && { data: span }), hasFile: file !== undefined && !isNothing(valueOf(file)) }
}

/** Undefined for an empty value. */
function spanOf(line: Line): Span | string | undefined {
  const value = valueOf(line)
  if (isNothing(value)) return undefined
  const quoted = /^(["']?)([A-Za-z0-9+/=]+)\1$/.exec(value)
  if (!quoted) return `"${dataKey}" is not base64 on one line`
  const [, quote = '', plain = ''] = quoted
  const offset = line.content.length - line.content.replace(keyPart, '').length + quote.length
  const start = line.start + offset
  return { value: plain, start, end: start + plain.length }
}

const isNothing = (value: string): boolean => /^(|""|''|null|~)$/.test(value)

const keyPart = /^("[\w.-]+"|'[\w.-]+'|[\w.-]+)[ \t]*:(?=[ \t]|$)[ \t]*/

function keyOf({ content }: Line): string | undefined {
  return keyPart.exec(content)?.[1]?.replaceAll(/["']/g, '')
}

/** The value without a trailing comment. */
function valueOf({ content }: Line): string {
  const value = content.replace(keyPart, '')
  const comment = value.search(/(?:^|[ \t])#/)
  return (comment < 0 ? value : value.slice(0, comment)).trimEnd()
}

/** All lines but empty ones and comments. */
function linesOf(text: string): Line[] | string {
  const lines: Line[] = []
  let at = 0
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '')
    const [lead] = /^[ \t]*/.exec(line)!
    const rest = line.slice(lead.length)
    if (rest !== '' && !rest.startsWith('#') && !rest.startsWith('%')) {
      if (lead.includes('\t')) return 'it is indented with tabs'
      const [dashes] = /^(- +)*/.exec(rest)!
      const indent = lead.length + dashes.length
      const dash = dashes === '' && rest !== '-' ? {} : { dash: lead.length }
      lines.push({ start: at + indent, indent, content: rest.slice(dashes.length), ...dash })
    }
    at += raw.length + 1
  }
  return lines
}
