import type { KubeconfigFields } from './kubeconfig-fields.ts'
import { resolveFromFile } from './kubeconfig-fields.ts'
import type { ExecPlan } from './target.ts'
import { execApiVersions } from './target.ts'

const clusterExtension = 'client.authentication.k8s.io/exec'

/** Parses the credential plugin of a user entry, if it has one. */
export function parseExec(user: KubeconfigFields, cluster: KubeconfigFields): ExecPlan | undefined {
  if (user.value('exec') === undefined) return undefined
  const exec = user.nested('exec')
  const apiVersion = execApiVersions.find((known) => known === exec.required('apiVersion'))
  if (!apiVersion) throw exec.invalid('apiVersion', `must be ${execApiVersions.join(' or ')}`)
  const mode = exec.text('interactiveMode')
  if (mode === undefined && apiVersion === 'client.authentication.k8s.io/v1') {
    throw exec.invalid('interactiveMode', 'is missing: set Never or IfAvailable')
  }
  if (mode === 'Always') {
    throw exec.invalid(
      'interactiveMode',
      'is Always, but there is no terminal for prompts: use Never or IfAvailable',
    )
  }
  if (mode !== undefined && mode !== 'Never' && mode !== 'IfAvailable') {
    throw exec.invalid('interactiveMode', 'must be Never or IfAvailable')
  }
  return {
    apiVersion,
    command: parseCommand(exec),
    args: exec.strings('args'),
    env: parseEnv(exec),
    installHint: exec.text('installHint'),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    clusterConfig: clusterExtensionOf(cluster),
  }
}

/** A command without a slash is searched in PATH; a path is relative to the kubeconfig. */
function parseCommand(exec: KubeconfigFields): string {
  const command = exec.required('command')
  return command.includes('/') ? resolveFromFile(exec.file, command) : command
}

function parseEnv(exec: KubeconfigFields): Record<string, string> {
  const pairs = exec.list('env').map((_, i) => {
    const variable = exec.item('env', i)
    return [variable.required('name'), variable.text('value') ?? ''] as const
  })
  return Object.fromEntries(pairs)
}

function clusterExtensionOf(cluster: KubeconfigFields): unknown {
  for (const i of cluster.list('extensions').keys()) {
    const extension = cluster.item('extensions', i)
    if (extension.text('name') === clusterExtension) return extension.value('extension')
  }
  return undefined
}
