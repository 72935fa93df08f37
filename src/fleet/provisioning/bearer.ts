/**
 * The token of an `Authorization` header: `Bearer <token>`. The name of the scheme is case-insensitive (RFC 9110). Undefined if
 * the header has another scheme or form.
 */
export function readBearer(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.[1]
}

export const bearer = (token: string): string => `Bearer ${token}`
