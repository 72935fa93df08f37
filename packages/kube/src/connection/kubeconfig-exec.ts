import type { Fields } from './kubeconfig-fields.ts'
import { fromFile } from './kubeconfig-fields.ts'
import type { ExecPlan } from './target.ts'
import { execApiVersions } from './target.ts'

const clusterExtension = 'client.authentication.k8s.io/exec'

/** The plugin that a user entry names, if it does. */
export function execIn(user: Fields, cluster: Fields): ExecPlan | undefined {
  if (user.value('exec') === undefined) return undefined
  const exec = user.inside('exec')
  const apiVersion = execApiVersions.find((known) => known === exec.needed('apiVersion'))
  if (!apiVersion) throw exec.wrong('apiVersion', `must be ${execApiVersions.join(' or ')}`)
  const mode = exec.text('interactiveMode')
  if (mode === undefined && apiVersion === 'client.authentication.k8s.io/v1') {
    throw exec.wrong('interactiveMode', 'is missing: set Never or IfAvailable')
  }
  if (mode === 'Always') {
    throw exec.wrong(
      'interactiveMode',
      'is Always, but there is no terminal to ask on: use Never or IfAvailable',
    )
  }
  if (mode !== undefined && mode !== 'Never' && mode !== 'IfAvailable') {
    throw exec.wrong('interactiveMode', 'must be Never or IfAvailable')
  }
  return {
    apiVersion,
    command: commandIn(exec),
    args: exec.texts('args'),
    env: envIn(exec),
    installHint: exec.text('installHint'),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    clusterConfig: extensionIn(cluster),
  }
}

/** A bare name is looked for in PATH; a path is seen from the kubeconfig. */
function commandIn(exec: Fields): string {
  const command = exec.needed('command')
  return command.includes('/') ? fromFile(exec.file, command) : command
}

function envIn(exec: Fields): Record<string, string> {
  const pairs = exec.list('env').map((_, i) => {
    const variable = exec.item('env', i)
    return [variable.needed('name'), variable.text('value') ?? ''] as const
  })
  return Object.fromEntries(pairs)
}

function extensionIn(cluster: Fields): unknown {
  for (const i of cluster.list('extensions').keys()) {
    const extension = cluster.item('extensions', i)
    if (extension.text('name') === clusterExtension) return extension.value('extension')
  }
  return undefined
}
