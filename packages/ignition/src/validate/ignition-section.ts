import type { Ignition, Proxy } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { checkConfigResource, requireSource } from './resources.ts'
import { splitUrl } from './urls.ts'

export function checkIgnition(ignition: Ignition, spec: Spec, place: Place): void {
  const { merge = [], replace } = ignition.config ?? {}
  for (const [i, resource] of merge.entries()) {
    const at = place.at('config', 'merge', i)
    checkConfigResource(resource, spec, at)
    // In 3.0 the source of a config to merge is optional.
    if (specAtLeast(spec, '3.1')) requireSource(resource, at)
  }
  if (replace) checkConfigResource(replace, spec, place.at('config', 'replace'))
  for (const [i, authority] of (ignition.security?.tls?.certificateAuthorities ?? []).entries()) {
    const at = place.at('security', 'tls', 'certificateAuthorities', i)
    checkConfigResource(authority, spec, at)
    requireSource(authority, at)
  }
  if (ignition.proxy) checkProxy(ignition.proxy, place.at('proxy'))
}

function checkProxy({ httpProxy, httpsProxy }: Proxy, place: Place): void {
  checkProxyUrl(httpProxy, place.at('httpProxy'))
  if (checkProxyUrl(httpsProxy, place.at('httpsProxy')) === 'http') {
    place
      .at('httpsProxy')
      .warn('HTTPS requests are sent to this proxy over an unencrypted connection')
  }
}

/** The scheme of the proxy, if it is valid. */
function checkProxyUrl(url: string | undefined, place: Place): string | undefined {
  if (url === undefined) return undefined
  const scheme = splitUrl(url)?.scheme
  if (scheme === 'http' || scheme === 'https') return scheme
  place.error('must be a URL that begins with http: or https:')
  return undefined
}
