import type { ServiceAccountTokens } from '../../authentication/service-account-tokens.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { Page } from '../messages/api-parts.ts'
import { methodNotAllowed } from '../messages/status-body.ts'

const configurationPath = '/.well-known/openid-configuration'
const keysPath = '/openid/v1/jwks'

/** OpenID discovery, so that others can verify service account tokens: issuer and keys. */
export class OpenIdPages implements Page {
  readonly paths = [configurationPath, keysPath]
  readonly #tokens: ServiceAccountTokens

  constructor(tokens: ServiceAccountTokens) {
    this.#tokens = tokens
  }

  answer(path: string, _query: URLSearchParams, answer: ApiResponse): boolean {
    const plain = path.replace(/\/$/, '')
    if (!this.paths.includes(plain)) return false
    if (answer.request.method !== 'GET') throw methodNotAllowed()
    answer.response.setHeader('Cache-Control', 'public, max-age=3600')
    if (plain === keysPath) {
      const keys = JSON.stringify({ keys: this.#tokens.publicKeys })
      answer.bytes(200, 'application/jwk-set+json', keys)
    } else {
      answer.bytes(200, 'application/json', JSON.stringify(this.#configuration(answer)))
    }
    return true
  }

  /** The keys are at the address that the client used for this request. */
  #configuration({ request }: ApiResponse): Record<string, unknown> {
    const { localAddress = '', localPort } = request.socket
    const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
    const scheme = 'encrypted' in request.socket ? 'https' : 'http'
    return {
      issuer: this.#tokens.issuer,
      jwks_uri: `${scheme}://${host}:${localPort}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }
}
