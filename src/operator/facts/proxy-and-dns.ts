import type { Proxy } from '../../api/openshift-config.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'

/** What the cluster's network has made of the proxy that was asked for; null where there is none. */
export function proxyFinding({ proxy }: ClusterFacts): Finding {
  if (proxy.is === 'bad') return { problem: proxy.problem }
  return { spec: { proxy: proxy.is === 'given' ? inUse(proxy.object) : null } }
}

export function dnsFinding({ dns }: ClusterFacts): Finding {
  if (dns.is === 'bad') return { problem: dns.problem }
  return { spec: { dns: dns.is === 'given' ? dns.object : null } }
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
