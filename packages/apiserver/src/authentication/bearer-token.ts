/** Request headers with all values of each, as Node's `headersDistinct`. Names are lower case. */
export type HeaderLists = Readonly<Record<string, readonly string[] | undefined>>

/** The token of an `Authorization: Bearer …` header. Other schemes and malformed headers count as absent. */
export function bearerToken(headers: HeaderLists): string | undefined {
  const [scheme, token] = (headers['authorization']?.[0] ?? '').trim().split(' ', 2)
  return scheme!.toLowerCase() === 'bearer' && token ? token : undefined
}
