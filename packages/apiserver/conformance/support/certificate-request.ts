import { execFileSync } from 'node:child_process'

export function certificateRequest(name: string): object {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: signingRequest('/O=example/CN=someone'),
      signerName: 'example.org/tester',
      usages: ['digital signature', 'client auth'],
      expirationSeconds: 3600,
    },
  }
}

const usualKey = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] as const

/** A PEM request, created by openssl and encoded in base64; `key` are arguments of openssl's -newkey. */
export function signingRequest(subject: string, key: readonly string[] = usualKey): string {
  const options = ['-newkey', ...key, '-nodes', '-keyout', '/dev/null', '-subj', subject]
  const pem = execFileSync('openssl', ['req', '-new', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return pem.toString('base64')
}
