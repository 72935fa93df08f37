/** The [Install] section of a unit: what enabling it means. */
export interface Install {
  readonly wantedBy: readonly string[]
  readonly requiredBy: readonly string[]
  readonly alias: readonly string[]
  readonly also: readonly string[]
  readonly defaultInstance?: string
}

/** Of a unit's file and its drop-ins, in the order in which systemd reads them. */
export function installOf(texts: readonly string[]): Install {
  const lists: Record<string, string[]> = {}
  let defaultInstance = ''
  for (const [key, value] of texts.flatMap(installLines)) {
    if (key === 'DefaultInstance') defaultInstance = value
    else if (value === '') lists[key] = []
    else (lists[key] ??= []).push(...value.split(/\s+/))
  }
  return {
    wantedBy: lists['WantedBy'] ?? [],
    requiredBy: lists['RequiredBy'] ?? [],
    alias: lists['Alias'] ?? [],
    also: lists['Also'] ?? [],
    ...(defaultInstance && { defaultInstance }),
  }
}

const keys: ReadonlySet<string> = new Set([
  'WantedBy',
  'RequiredBy',
  'Alias',
  'Also',
  'DefaultInstance',
])

function installLines(text: string): (readonly [key: string, value: string])[] {
  let section = ''
  const found: (readonly [string, string])[] = []
  for (const line of logicalLines(text)) {
    if (line.startsWith('[')) section = line
    const equals = line.indexOf('=')
    const key = line.slice(0, equals).trim()
    if (section === '[Install]' && equals > 0 && keys.has(key)) {
      found.push([key, line.slice(equals + 1).trim()])
    }
  }
  return found
}

/** Without comments, and with lines joined that a backslash continues. */
function logicalLines(text: string): string[] {
  const lines: string[] = []
  let begun = ''
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (/^[#;]/.test(line)) continue
    if (line.endsWith('\\')) {
      begun += `${line.slice(0, -1)} `
      continue
    }
    if (begun + line !== '') lines.push(begun + line)
    begun = ''
  }
  return begun === '' ? lines : [...lines, begun]
}
