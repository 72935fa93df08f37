import { dirname, isAbsolute, join, relative } from 'node:path'
import { pools as builtIn } from '../../api/names.ts'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { ClusterSize } from '../../devcluster/cluster-size.ts'
import { plannedNodes } from '../../devcluster/cluster-size.ts'
import type { Kubectl } from '../../devcluster/find-kubectl.ts'
import { faultAnnotation } from '../../views/status/node-fault.ts'
import { sampleNamespace } from '../../devcluster/stand-ins/sample-workloads.ts'

/** As soon as the API answers. */
export const apiLines = (
  api: Pick<EmbeddedApi, 'url' | 'kubeconfig'>,
  kubectl: Kubectl,
): string => `
A Kubernetes API with Machinist's kinds runs at ${api.url}. In another terminal:

  export KUBECONFIG=${api.kubeconfig}
${kubectlLine(kubectl)}  kubectl get mcp,nodes

`

function kubectlLine(kubectl: Kubectl): string {
  switch (kubectl.type) {
    case 'onPath':
      return ''
    case 'found':
      return `  export PATH="${dirname(kubectl.path)}:$PATH"   # kubectl is not on your PATH\n`
    case 'missing':
      return kubectl.script === undefined
        ? '  # kubectl is not on your PATH: install 1.32 or newer\n'
        : `  export PATH="$(dirname "$(${fromHere(kubectl.script)} --fetch)"):$PATH"   # kubectl is not on your PATH: fetch it, 34 MB\n`
  }
}

/** The line that stays on the screen, longest first: a line that is cut could not be pasted. */
export const headings = ({ kubeconfig }: Pick<EmbeddedApi, 'kubeconfig'>): string[] => [
  `export KUBECONFIG=${kubeconfig}`,
  `export KUBECONFIG=${fromHere(kubeconfig)}`,
]

export interface Places {
  readonly examples: string
  /** How this program is called. */
  readonly program: string
  readonly log: string
}

/** What to try once the nodes join: only what this cluster has nodes for. */
export function hints({ examples, program, log }: Places, size: ClusterSize): string {
  const example = (name: string): string => fromHere(join(examples, name))
  const workers = plannedNodes(size).filter(({ pool }) => pool === builtIn.worker)
  const pool = workers.length > 0 ? builtIn.worker : builtIn.master
  const node = workers.at(-1)?.name ?? `${builtIn.master}-0`
  const onWorkers: readonly Hint[] = [
    [`kubectl apply -f ${example('without-reboot.yaml')}`],
    [`kubectl apply -f ${example('kernel-argument.yaml')}`, 'drains, reboots'],
    [`kubectl apply -f ${example('bad.yaml')}`, 'stops at the first node'],
    [`kubectl delete -f ${example('bad.yaml')}`, 'and heals'],
    [`kubectl cordon ${node}`, 'the pool reports it'],
    [`kubectl -n ${sampleNamespace} patch pdb web -p '{"spec":{"maxUnavailable":0}}'`],
  ]
  const anywhere: readonly Hint[] = [
    [`kubectl patch mcp ${pool} --type merge -p '{"spec":{"paused":true}}'`],
    [`kubectl annotate node ${node} ${faultAnnotation}=power-off`],
    [`kubectl apply -f ${example('registry-ca.yaml')}`, 'on every node in seconds'],
    [`${fromHere(program)} rotate kube-apiserver-to-kubelet --watch`, 'a new CA'],
    [`kubectl describe mcp ${pool}; kubectl get events -A --watch`],
  ]
  const lines = [...(workers.length > 0 ? onWorkers : []), ...anywhere].map(hintLine)
  return `Try (more in docs/up.md):
${lines.join('\n')}

Ctrl-C ends it; everything goes on next time. Logs are in ${fromHere(log)}.

`
}

type Hint = readonly [command: string, effect?: string]

const hintLine = ([command, effect]: Hint): string =>
  effect === undefined ? `  ${command}` : `  ${command.padEnd(48)} # ${effect}`

/** A path in its shorter form. */
function fromHere(path: string): string {
  const near = relative('.', path)
  return isAbsolute(path) && near.length < path.length ? near : path
}
