import { InvalidInput } from '@machinist/core/errors'
import { execIn } from './kubeconfig-exec.ts'
import { Fields } from './kubeconfig-fields.ts'
import type { Impersonation, Target } from './target.ts'

export interface KubeconfigFile {
  readonly path: string
  readonly text: string
}

/** What the files say together about one context: the current one, or the one asked for. */
export async function targetIn(
  files: readonly KubeconfigFile[],
  context?: string,
): Promise<Target> {
  const config = merged(await Promise.all(files.map(parsed)))
  const chosen = context ?? config.currentContext
  if (chosen === undefined) {
    throw new InvalidInput(
      `${named(files)}: no current-context is set. ${choices('Choose a context', config.contexts)}`,
    )
  }
  const entry = found(config.contexts, 'context', chosen, named(files))
  const cluster = found(config.clusters, 'cluster', entry.needed('cluster'), entry.file)
  const user = entry.text('user')
  return {
    origin: `context ${JSON.stringify(chosen)} of ${entry.file}`,
    namespace: entry.text('namespace'),
    ...clusterIn(cluster),
    ...(user === undefined ? {} : userIn(found(config.users, 'user', user, entry.file), cluster)),
  }
}

interface Config {
  readonly currentContext?: string
  readonly clusters: Entries
  readonly users: Entries
  readonly contexts: Entries
}
type Entries = ReadonlyMap<string, Fields>

/** YAML is loaded only here: a component inside the cluster never needs it. */
async function parsed({ path, text }: KubeconfigFile): Promise<Config> {
  const { parseYaml } = await import('@machinist/core/yaml')
  const root = new Fields(path, '', parseYaml(text, path))
  const kind = root.text('kind')
  if (kind !== undefined && kind !== 'Config') throw root.wrong('kind', 'must be Config')
  return {
    currentContext: root.text('current-context'),
    clusters: entries(root, 'clusters', 'cluster'),
    users: entries(root, 'users', 'user'),
    contexts: entries(root, 'contexts', 'context'),
  }
}

function entries(root: Fields, list: string, member: string): Entries {
  const result = new Map<string, Fields>()
  for (const i of root.list(list).keys()) {
    const entry = root.item(list, i)
    const name = entry.needed('name')
    if (result.has(name)) throw root.wrong(list, `names ${JSON.stringify(name)} twice`)
    result.set(name, entry.inside(member))
  }
  return result
}

/** The first file to name something has the say, as with kubectl. */
function merged(configs: readonly Config[]): Config {
  const made = (): Map<string, Fields> => new Map()
  const result = { clusters: made(), users: made(), contexts: made() }
  for (const config of configs) {
    for (const list of ['clusters', 'users', 'contexts'] as const) {
      for (const [name, entry] of config[list]) {
        if (!result[list].has(name)) result[list].set(name, entry)
      }
    }
  }
  const { currentContext } = configs.find((config) => config.currentContext) ?? {}
  return { ...result, currentContext }
}

function found(entries: Entries, what: string, name: string, where: string): Fields {
  const entry = entries.get(name)
  if (entry) return entry
  const known = choices(`Known ${what}s`, entries)
  throw new InvalidInput(`${where}: there is no ${what} ${JSON.stringify(name)}. ${known}`)
}

const choices = (lead: string, entries: Entries): string =>
  entries.size === 0 ? `${lead}: none is defined` : `${lead}: ${[...entries.keys()].join(', ')}`

const named = (files: readonly KubeconfigFile[]): string =>
  files.map((file) => file.path).join(', ') || 'kubeconfig'

type ClusterPart = Pick<Target, 'server' | 'ca' | 'insecure' | 'serverName'>

function clusterIn(cluster: Fields): ClusterPart {
  if (cluster.value('proxy-url') !== undefined) {
    throw cluster.wrong(
      'proxy-url',
      'is not supported: remove it and give an address that is reachable directly',
    )
  }
  const server = cluster.needed('server')
  const protocol = URL.parse(server)?.protocol
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw cluster.wrong('server', 'must be an address such as https://cluster.example.com:6443')
  }
  const insecure = cluster.flag('insecure-skip-tls-verify')
  const ca = cluster.source('certificate-authority')
  if (insecure && ca) {
    throw cluster.wrong(
      'insecure-skip-tls-verify',
      'and a certificate-authority exclude each other: remove one',
    )
  }
  return { server, ca, insecure, serverName: cluster.text('tls-server-name') }
}

type UserPart = Pick<Target, 'cert' | 'key' | 'token' | 'basic' | 'exec' | 'impersonate'>

function userIn(user: Fields, cluster: Fields): UserPart {
  if (user.value('auth-provider') !== undefined) {
    throw user.wrong(
      'auth-provider',
      'is no longer a part of Kubernetes: use an exec plugin or a token',
    )
  }
  const cert = user.source('client-certificate')
  const key = user.source('client-key')
  if (cert && !key) throw user.wrong('client-certificate', 'is set but client-key is missing')
  if (key && !cert) throw user.wrong('client-key', 'is set but client-certificate is missing')
  const token = tokenIn(user)
  const basic = basicIn(user)
  if (token && basic) throw user.wrong('token', 'and username exclude each other: remove one')
  // Credentials that are written down win over the plugin that would fetch some.
  const exec = cert || token || basic ? undefined : execIn(user, cluster)
  return { cert, key, token, basic, exec, impersonate: impersonationIn(user) }
}

function tokenIn(user: Fields): Target['token'] {
  const file = user.path('tokenFile')
  if (file !== undefined) return { file }
  const text = user.text('token')
  return text === undefined ? undefined : { text }
}

function basicIn(user: Fields): Target['basic'] {
  const username = user.text('username')
  return username === undefined ? undefined : { username, password: user.text('password') ?? '' }
}

function impersonationIn(user: Fields): Impersonation | undefined {
  const groups = user.texts('as-groups')
  const uid = user.text('as-uid')
  const extra = user.inside('as-user-extra')
  const as = user.text('as')
  if (as === undefined) {
    if (groups.length === 0 && uid === undefined && extra.keys().length === 0) return undefined
    throw user.wrong('as', 'is missing: groups, uid and extra need a user to impersonate')
  }
  const pairs = extra.keys().map((key) => [key, extra.texts(key)] as const)
  return { user: as, uid, groups, extra: Object.fromEntries(pairs) }
}
