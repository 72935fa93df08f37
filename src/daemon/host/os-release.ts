/** The variables of an os-release file. */
export function parseOsRelease(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*([A-Z0-9_]+)=(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) values.set(key, unquote(value.trim()))
  }
  return values
}

function unquote(value: string): string {
  const inside = /^"(.*)"$|^'(.*)'$/s.exec(value)
  return (inside?.[1] ?? inside?.[2] ?? value).replace(/\\(["'$`\\])/g, '$1')
}
