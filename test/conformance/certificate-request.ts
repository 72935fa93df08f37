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

/** A request in PEM, made by openssl. */
function signingRequest(subject: string): string {
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const pem = execFileSync(
    'openssl',
    ['req', '-new', ...options, '-keyout', '/dev/null', '-subj', subject],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  return pem.toString('base64')
}
