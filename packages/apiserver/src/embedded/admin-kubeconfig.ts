import { isObject } from '@machinist/core/encoding/json'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'

export interface AdminAccess {
  readonly server: string
  /** PEM of the CAs that verify the server. */
  readonly ca: string
  readonly token: string
  /** Also the name of the cluster and user, so that entries of several kubeconfigs do not collide. */
  readonly context: string
}

/** Default context name. */
export const adminContext = 'machinist'

/**
 * The administrator's kubeconfig, which keeps all other entries of `before`. An unreadable kubeconfig is replaced.
 */
export function adminKubeconfig(access: AdminAccess, before = ''): string {
  const { server, ca, token, context } = access
  const found = parseKubeconfig(before)
  const data = Buffer.from(ca).toString('base64')
  const cluster = { server, 'certificate-authority-data': data }
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    ...found,
    contexts: withEntry(found['contexts'], context, 'context', { cluster: context, user: context }),
    clusters: withEntry(found['clusters'], context, 'cluster', cluster),
    users: withEntry(found['users'], context, 'user', { token }),
  })
}

type Entry = Readonly<Record<string, unknown>>

/** The list with this entry added or replaced in place. */
function withEntry(list: unknown, name: string, kind: string, fields: object): Entry[] {
  const entries = Array.isArray(list) ? list.filter(isObject) : []
  const old = entries.find((entry) => entry['name'] === name)
  const known = isObject(old?.[kind]) ? old[kind] : {}
  const entry = { name, ...old, [kind]: { ...known, ...fields } }
  return old ? entries.map((each) => (each === old ? entry : each)) : [...entries, entry]
}

function parseKubeconfig(text: string): Entry {
  try {
    const found = parseYaml(text, 'kubeconfig')
    return isObject(found) ? found : {}
  } catch {
    return {}
  }
}
