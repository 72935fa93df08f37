export type Route =
  | { readonly type: 'config'; readonly pool: string }
  | { readonly type: 'health' }
  | { readonly type: 'unknown' }

const configPath = '/config/'
/** The names of objects in Kubernetes. Encoded characters never match, so there is nothing to decode. */
const poolName = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/
const unknown: Route = { type: 'unknown' }

/** The route of a request target. Only the exact paths exist; a trailing slash is ignored, as in MCO. */
export function routeOf(target: string): Route {
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (path === '/healthz') return { type: 'health' }
  if (!path.startsWith(configPath)) return unknown
  const pool = path.slice(configPath.length, path.endsWith('/') ? -1 : undefined)
  return poolName.test(pool) && !pool.includes('..') ? { type: 'config', pool } : unknown
}
