import { join, relative } from 'node:path'
import type { EmbeddedApi } from '../embedded-api.ts'
import { sampleNamespace } from './sample-workloads.ts'

/** As soon as the API answers. */
export const apiLines = (api: EmbeddedApi): string => `
A Kubernetes API with Machinist's kinds runs at ${api.url}. In another terminal:

  export KUBECONFIG=${api.kubeconfig}
  kubectl get mcp,nodes

`

/** What to try once the nodes join; `examples` is where the example files are. */
export function hints(examples: string, log: string): string {
  const example = (name: string): string => {
    const path = join(examples, name)
    const near = relative('.', path)
    return near.length < path.length ? near : path
  }
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
  machinist rotate kube-apiserver-to-kubelet --watch   # a new CA, and which node holds it up; or:
  kubectl -n openshift-kube-apiserver-operator annotate secret kube-apiserver-to-kubelet-signer \\
    auth.openshift.io/certificate-not-after-
  kubectl describe mcp worker; kubectl get events -A --watch

Ctrl-C ends it; everything goes on next time. Logs are in ${log}.

`
}
