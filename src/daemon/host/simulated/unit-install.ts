/** The [Install] section of a unit. */
export interface InstallSection {
  readonly wantedBy: readonly string[]
  readonly requiredBy: readonly string[]
  readonly alias: readonly string[]
  readonly also: readonly string[]
  readonly defaultInstance?: string
}

/** Parses the file of a unit and its drop-ins, in the order in which systemd reads them. */
export function installOf(texts: readonly string[]): InstallSection {
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

/** Removes comments, and joins lines that end with a backslash. */
function logicalLines(text: string): string[] {
  const lines: string[] = []
  let partial = ''
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (/^[#;]/.test(line)) continue
    if (line.endsWith('\\')) {
      partial += `${line.slice(0, -1)} `
      continue
    }
    if (partial + line !== '') lines.push(partial + line)
    partial = ''
  }
  return partial === '' ? lines : [...lines, partial]
}
