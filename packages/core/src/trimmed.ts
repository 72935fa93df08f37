/** Removes trailing occurrences of a character, in linear time; a regular expression (`x+$`) takes quadratic time. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

export function withoutLeading(text: string, character: string): string {
  let start = 0
  while (text[start] === character) start++
  return text.slice(start)
}
