import { InvalidInput } from '@machinist/core/errors'
import { parseExec } from './kubeconfig-exec.ts'
import { KubeconfigFields } from './kubeconfig-fields.ts'
import type { Impersonation, Target } from './target.ts'

export interface KubeconfigFile {
  readonly path: string
  readonly text: string
}

/** Merges the files and returns the target of a context: the given one, or the current one. */
export async function targetFromKubeconfig(
  files: readonly KubeconfigFile[],
  context?: string,
): Promise<Target> {
  const config = mergeConfigs(await Promise.all(files.map(parseConfig)))
  const chosen = context ?? config.currentContext
  if (chosen === undefined) {
    throw new InvalidInput(
      `${listPaths(files)}: no current-context is set. ${listNames('Choose a context', config.contexts)}`,
    )
  }
  const entry = findEntry(config.contexts, 'context', chosen, listPaths(files))
  const cluster = findEntry(config.clusters, 'cluster', entry.required('cluster'), entry.file)
  const user = entry.text('user')
  return {
    origin: `context ${JSON.stringify(chosen)} of ${entry.file}`,
    namespace: entry.text('namespace'),
    ...parseCluster(cluster),
    ...(user === undefined
      ? {}
      : parseUser(findEntry(config.users, 'user', user, entry.file), cluster)),
  }
}

interface Config {
  readonly currentContext?: string
  readonly clusters: Entries
  readonly users: Entries
  readonly contexts: Entries
}
type Entries = ReadonlyMap<string, KubeconfigFields>

/** Loads the YAML parser on demand: components in the cluster do not need it. */
async function parseConfig({ path, text }: KubeconfigFile): Promise<Config> {
  const { parseYaml } = await import('@machinist/core/encoding/yaml')
  const root = new KubeconfigFields(path, '', parseYaml(text, path))
  const kind = root.text('kind')
  if (kind !== undefined && kind !== 'Config') throw root.invalid('kind', 'must be Config')
  return {
    currentContext: root.text('current-context'),
    clusters: parseEntries(root, 'clusters', 'cluster'),
    users: parseEntries(root, 'users', 'user'),
    contexts: parseEntries(root, 'contexts', 'context'),
  }
}

function parseEntries(root: KubeconfigFields, list: string, member: string): Entries {
  const result = new Map<string, KubeconfigFields>()
  for (const i of root.list(list).keys()) {
    const entry = root.item(list, i)
    const name = entry.required('name')
    if (result.has(name)) throw root.invalid(list, `contains ${JSON.stringify(name)} twice`)
    result.set(name, entry.nested(member))
  }
  return result
}

/** As in kubectl, the first file that defines an entry wins. */
function mergeConfigs(configs: readonly Config[]): Config {
  const empty = (): Map<string, KubeconfigFields> => new Map()
  const result = { clusters: empty(), users: empty(), contexts: empty() }
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

function findEntry(entries: Entries, kind: string, name: string, file: string): KubeconfigFields {
  const entry = entries.get(name)
  if (entry) return entry
  const known = listNames(`Known ${kind}s`, entries)
  throw new InvalidInput(`${file}: ${kind} ${JSON.stringify(name)} does not exist. ${known}`)
}

const listNames = (lead: string, entries: Entries): string =>
  entries.size === 0 ? `${lead}: none` : `${lead}: ${[...entries.keys()].join(', ')}`

const listPaths = (files: readonly KubeconfigFile[]): string =>
  files.map((file) => file.path).join(', ') || 'kubeconfig'

type ClusterPart = Pick<Target, 'server' | 'ca' | 'insecure' | 'serverName'>

function parseCluster(cluster: KubeconfigFields): ClusterPart {
  if (cluster.value('proxy-url') !== undefined) {
    throw cluster.invalid(
      'proxy-url',
      'is not supported: remove it and set server to an address that is reachable directly',
    )
  }
  const server = cluster.required('server')
  const protocol = URL.parse(server)?.protocol
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw cluster.invalid('server', 'must be a URL such as https://cluster.example.com:6443')
  }
  const insecure = cluster.flag('insecure-skip-tls-verify')
  const ca = cluster.source('certificate-authority')
  if (insecure && ca) {
    throw cluster.invalid(
      'insecure-skip-tls-verify',
      'and certificate-authority are mutually exclusive: remove one',
    )
  }
  return { server, ca, insecure, serverName: cluster.text('tls-server-name') }
}

type UserPart = Pick<Target, 'cert' | 'key' | 'token' | 'basic' | 'exec' | 'impersonate'>

function parseUser(user: KubeconfigFields, cluster: KubeconfigFields): UserPart {
  if (user.value('auth-provider') !== undefined) {
    throw user.invalid(
      'auth-provider',
      'is no longer supported by Kubernetes: use an exec plugin or a token',
    )
  }
  const cert = user.source('client-certificate')
  const key = user.source('client-key')
  if (cert && !key) throw user.invalid('client-certificate', 'is set but client-key is missing')
  if (key && !cert) throw user.invalid('client-key', 'is set but client-certificate is missing')
  const token = parseToken(user)
  const basic = parseBasicAuth(user)
  if (token && basic) throw user.invalid('token', 'and username are mutually exclusive: remove one')
  // Static credentials take precedence over the plugin.
  const exec = cert || token || basic ? undefined : parseExec(user, cluster)
  return { cert, key, token, basic, exec, impersonate: parseImpersonation(user) }
}

function parseToken(user: KubeconfigFields): Target['token'] {
  const file = user.path('tokenFile')
  if (file !== undefined) return { file }
  const text = user.text('token')
  return text === undefined ? undefined : { text }
}

function parseBasicAuth(user: KubeconfigFields): Target['basic'] {
  const username = user.text('username')
  return username === undefined ? undefined : { username, password: user.text('password') ?? '' }
}

function parseImpersonation(user: KubeconfigFields): Impersonation | undefined {
  const groups = user.strings('as-groups')
  const uid = user.text('as-uid')
  const extra = user.nested('as-user-extra')
  const as = user.text('as')
  if (as === undefined) {
    if (groups.length === 0 && uid === undefined && extra.keys().length === 0) return undefined
    throw user.invalid('as', 'is missing: as-groups, as-uid and as-user-extra require it')
  }
  const pairs = extra.keys().map((key) => [key, extra.strings(key)] as const)
  return { user: as, uid, groups, extra: Object.fromEntries(pairs) }
}
