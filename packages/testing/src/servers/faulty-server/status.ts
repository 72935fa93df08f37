import type { Status } from '@machinist/kube/failure'

export interface ErrorStatus {
  readonly code: number
  readonly reason?: string | undefined
  readonly message?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

export function statusOf({
  code,
  reason,
  message,
  retryAfterSeconds,
}: ErrorStatus): Status & object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    ...(reason === undefined ? {} : { reason }),
    message: message ?? `injected failure with ${code}`,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  } as Status
}
