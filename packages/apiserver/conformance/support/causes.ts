import type { Answer } from './api.ts'

interface SaidCause {
  readonly field: string
  readonly message: string
}

/** The causes of an error by field; the code if it has none. */
export function causesOf({ code, body }: Answer): string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: SaidCause[] }
  if (code !== 422) return [`${code}`]
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

export const goodLabel =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
export const goodSubdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
export const goodQualifiedName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
