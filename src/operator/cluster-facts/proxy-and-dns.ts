import type { Proxy } from '../../api/openshift-config.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'

/** The proxy in the status, which the cluster's network operator sets; null if there is none. */
export function proxyFinding({ proxy }: ClusterFacts): Finding {
  if (proxy.type === 'invalid') return { problem: proxy.problem }
  return { spec: { proxy: proxy.type === 'given' ? inUse(proxy.object) : null } }
}

export function dnsFinding({ dns }: ClusterFacts): Finding {
  if (dns.type === 'invalid') return { problem: dns.problem }
  return { spec: { dns: dns.type === 'given' ? dns.object : null } }
}

function inUse({ status = {} }: Proxy): Proxy['status'] | null {
  const { httpProxy, httpsProxy, noProxy } = status
  if (!httpProxy && !httpsProxy && !noProxy) return null
  return {
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  }
}
