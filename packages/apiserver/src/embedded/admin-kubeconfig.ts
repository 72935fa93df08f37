import { isObject } from '@machinist/core/json'
import { parseYaml, toYaml } from '@machinist/core/yaml'

export interface AdminAccess {
  readonly server: string
  /** PEM of all who may vouch for the server. */
  readonly ca: string
  readonly token: string
  /** Also the name of its cluster and user: entries of several kubeconfigs must not collide. */
  readonly context: string
}

/** The context's name unless the user chooses one. */
export const adminContext = 'machinist'

/**
 * The administrator's kubeconfig, with everything that somebody else put into the one before. What cannot be read is made
 * anew: it is of no use to anybody.
 */
export function adminKubeconfig(access: AdminAccess, before = ''): string {
  const { server, ca, token, context } = access
  const found = readable(before)
  const data = Buffer.from(ca).toString('base64')
  const cluster = { server, 'certificate-authority-data': data }
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    ...found,
    contexts: having(found['contexts'], context, 'context', { cluster: context, user: context }),
    clusters: having(found['clusters'], context, 'cluster', cluster),
    users: having(found['users'], context, 'user', { token }),
  })
}

type Entry = Readonly<Record<string, unknown>>

/** A list of named things with this one in it, in its old place if it had one. */
function having(list: unknown, name: string, kind: string, fields: object): Entry[] {
  const entries = Array.isArray(list) ? list.filter(isObject) : []
  const old = entries.find((entry) => entry['name'] === name)
  const known = isObject(old?.[kind]) ? old[kind] : {}
  const entry = { name, ...old, [kind]: { ...known, ...fields } }
  return old ? entries.map((each) => (each === old ? entry : each)) : [...entries, entry]
}

function readable(text: string): Entry {
  try {
    const found = parseYaml(text, 'kubeconfig')
    return isObject(found) ? found : {}
  } catch {
    return {}
  }
}
