import { randomBytes } from 'node:crypto'

/** The source of secrets, such as tokens. Tests and simulations supply their own. */
export interface SecureRandom {
  bytes(length: number): Uint8Array
}

export const systemSecureRandom: SecureRandom = { bytes: (length) => randomBytes(length) }
