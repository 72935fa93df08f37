import { dirname, isAbsolute, join, relative } from 'node:path'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { pools as builtIn } from '../../../api/names.ts'
import type { ClusterSize } from '../../../devcluster/size/cluster-size.ts'
import { plannedNodes } from '../../../devcluster/size/cluster-size.ts'
import type { Kubectl } from '../../../devcluster/find-kubectl.ts'
import { faultAnnotation } from '../../../views/status/node-fault.ts'
import { sampleNamespace } from '../../../devcluster/stand-ins/sample-workloads.ts'

/** Printed as soon as the API server answers. */
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
        : `  export PATH="$(dirname "$(${fromHere(kubectl.script)} --fetch)"):$PATH"   # kubectl is not on your PATH: download it, 34 MB\n`
  }
}

/** Candidates for the line that stays on the screen, longest first: a truncated line cannot be pasted. */
export const headings = ({ kubeconfig }: Pick<EmbeddedApi, 'kubeconfig'>): string[] => [
  `export KUBECONFIG=${kubeconfig}`,
  `export KUBECONFIG=${fromHere(kubeconfig)}`,
]

export interface HintPaths {
  readonly examples: string
  /** The command that runs this program. */
  readonly program: string
  readonly log: string
}

/** Commands to try once the nodes have joined, limited to the pools of this cluster. */
export function hints({ examples, program, log }: HintPaths, size: ClusterSize): string {
  const example = (name: string): string => fromHere(join(examples, name))
  const workers = plannedNodes(size).filter(({ pool }) => pool === builtIn.worker)
  const pool = workers.length > 0 ? builtIn.worker : builtIn.master
  const node = workers.at(-1)?.name ?? `${builtIn.master}-0`
  const onWorkers: readonly Hint[] = [
    [`kubectl apply -f ${example('without-reboot.yaml')}`],
    [`kubectl apply -f ${example('kernel-argument.yaml')}`, 'drains, reboots'],
    [`kubectl apply -f ${example('bad.yaml')}`, 'stops at one node'],
    [`kubectl delete -f ${example('bad.yaml')}`, 'the pool recovers'],
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

Ctrl-C stops the cluster; the next start continues with its state. Logs: ${fromHere(log)}

`
}

type Hint = readonly [command: string, effect?: string]

const hintLine = ([command, effect]: Hint): string =>
  effect === undefined ? `  ${command}` : `  ${command.padEnd(48)} # ${effect}`

/** The path relative to the working directory, if that is shorter. */
function fromHere(path: string): string {
  const near = relative('.', path)
  return isAbsolute(path) && near.length < path.length ? near : path
}
