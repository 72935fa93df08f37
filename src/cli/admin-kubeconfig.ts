import { isObject } from '../base/json.ts'
import { parseYaml, toYaml } from '../base/yaml.ts'

export interface AdminAccess {
  readonly server: string
  /** PEM of all who may vouch for the server. */
  readonly ca: string
  readonly token: string
}

/** Also the name of its cluster. */
export const adminContext = 'machinist'
const user = 'admin'

/**
 * The administrator's kubeconfig, with everything that somebody else put into the one before. What cannot be read is made
 * anew: it is of no use to anybody.
 */
export function adminKubeconfig({ server, ca, token }: AdminAccess, before = ''): string {
  const found = readable(before)
  const data = Buffer.from(ca).toString('base64')
  const access = { server, 'certificate-authority-data': data }
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': adminContext,
    ...found,
    contexts: having(found['contexts'], adminContext, 'context', { cluster: adminContext, user }),
    clusters: having(found['clusters'], adminContext, 'cluster', access),
    users: having(found['users'], user, 'user', { token }),
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
