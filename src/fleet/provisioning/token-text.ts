/** 256 bits. */
export const tokenBytes = 32

/** The text of a new token: base64url, which is safe in an HTTP header. */
export const tokenText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Tokens of users may be longer or somewhat shorter than those of the operator, but not guessable. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{32,256}$/.test(text)
