/** Small objects for the cases. */

export function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: object = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}

export function node(name: string, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, ...metadata } }
}

export function pod(name: string, labels: Record<string, string> = {}, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { containers: [{ name: 'main', image: 'example.org/main:1' }], ...spec },
  }
}

/** The body of an error. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: object,
): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code,
  }
}
