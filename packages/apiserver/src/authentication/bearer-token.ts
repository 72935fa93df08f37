/** Request headers, all values of each: what node calls `headersDistinct`. Names in lower case. */
export type HeaderLists = Readonly<Record<string, readonly string[] | undefined>>

/** The token of an `Authorization: Bearer …` header. Other schemes and malformed headers count as no header at all. */
export function bearerToken(headers: HeaderLists): string | undefined {
  const [scheme, token] = (headers['authorization']?.[0] ?? '').trim().split(' ', 2)
  return scheme!.toLowerCase() === 'bearer' && token ? token : undefined
}
