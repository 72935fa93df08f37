/** Untrusted text for a message: in quotes, on one line, truncated. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)
}

const maxLength = 200

/** The text unchanged if it is a single harmless word, otherwise quoted. */
export function plain(text: string): string {
  return /^[\w./:@+\\=,-]+$/.test(text) && text.length <= maxLength ? text : quoted(text)
}
