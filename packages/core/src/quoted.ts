/** A text in quotes, on one line and not too long, whatever is in it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}

const longest = 200

/** As it is if it is a harmless word, else in quotes. */
export function plain(text: string): string {
  return /^[\w./:@+\\=,-]+$/.test(text) && text.length <= longest ? text : quoted(text)
}
