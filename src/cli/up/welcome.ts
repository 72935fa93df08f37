import { isAbsolute, join, relative } from 'node:path'
import type { EmbeddedApi } from '../embedded-api.ts'
import { sampleNamespace } from './sample-workloads.ts'

/** As soon as the API answers. */
export const apiLines = (api: EmbeddedApi): string => `
A Kubernetes API with Machinist's kinds runs at ${api.url}. In another terminal:

  export KUBECONFIG=${api.kubeconfig}
  kubectl get mcp,nodes

`

export interface Places {
  readonly examples: string
  /** How this program is called. */
  readonly program: string
  readonly log: string
}

/** What to try once the nodes join. */
export function hints({ examples, program, log }: Places): string {
  const example = (name: string): string => fromHere(join(examples, name))
  return `Try:
  kubectl apply -f ${example('without-reboot.yaml')}
  kubectl apply -f ${example('kernel-argument.yaml')}      # drains, reboots
  kubectl apply -f ${example('bad.yaml')}                  # stops at the first node
  kubectl delete -f ${example('bad.yaml')}                 # and heals
  kubectl patch mcp worker --type merge -p '{"spec":{"paused":true}}'
  kubectl cordon worker-2                          # the pool will say so
  kubectl -n ${sampleNamespace} patch pdb web -p '{"spec":{"maxUnavailable":0}}'
  kubectl apply -f ${example('registry-ca.yaml')}          # on every node's disk in seconds
  kubectl get nodetrusts                           # what each node trusts
  ${fromHere(program)} rotate kube-apiserver-to-kubelet --watch   # a new CA, and which node holds it up; or:
  kubectl -n openshift-kube-apiserver-operator annotate secret kube-apiserver-to-kubelet-signer \\
    auth.openshift.io/certificate-not-after-
  kubectl describe mcp worker; kubectl get events -A --watch

Ctrl-C ends it; everything goes on next time. Logs are in ${fromHere(log)}.

`
}

/** A path in its shorter form. */
function fromHere(path: string): string {
  const near = relative('.', path)
  return isAbsolute(path) && near.length < path.length ? near : path
}
