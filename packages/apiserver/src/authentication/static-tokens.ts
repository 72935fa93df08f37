import { createHash, timingSafeEqual } from 'node:crypto'
import { InvalidInput } from '@machinist/core/errors'
import type { UserInfo } from '../identity/user-info.ts'
import { authenticated } from '../identity/user-info.ts'

/** Tokens that are fixed while the server runs, such as the administrator's. Only digests are stored. */
export class StaticTokens {
  readonly #users = new Map<string, { readonly digest: Buffer; readonly user: UserInfo }>()

  add(token: string, user: UserInfo): void {
    const digest = digestOf(token)
    this.#users.set(digest.toString('hex'), { digest, user: authenticated(user) })
  }

  find(token: string): UserInfo | undefined {
    const digest = digestOf(token)
    const known = this.#users.get(digest.toString('hex'))
    return known && timingSafeEqual(known.digest, digest) ? known.user : undefined
  }
}

/** Reads kube-apiserver's token file: `token,user,uid,"group1,group2"` per line. */
export function readTokenFile(text: string): StaticTokens {
  const tokens = new StaticTokens()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const match = tokenLine.exec(line.trim())
    if (!match) {
      const form = 'token,user,uid,"group1,group2"'
      throw new InvalidInput(`line ${index + 1} of the token file does not have the form ${form}`)
    }
    const [, token, username, uid, quotedGroups, group] = match
    const groups = (quotedGroups ?? group ?? '').split(',').filter((name) => name !== '')
    tokens.add(token!, { username: username!, uid: uid!, groups })
  }
  return tokens
}

const tokenLine = /^([^",]+),([^",]+),([^",]+)(?:,(?:"([^"]*)"|([^",]*)))?$/

/** Comparing digests keeps the lookup time independent of the token. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()
