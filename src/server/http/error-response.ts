import type { Refusal } from '../answer/refusal.ts'

/** A response without a config. */
export interface ErrorResponse {
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON: what happened, and what the user can do. */
  readonly body: string
}

interface ErrorContent {
  readonly reason: string
  readonly message: string
  readonly action: string
  readonly versions?: Refusal['versions'] | undefined
  readonly fields?: Refusal['fields'] | undefined
}

function errorResponse(
  status: number,
  content: ErrorContent,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  const body = `${JSON.stringify({ error: { status, ...content } })}\n`
  return { status, reason: content.reason, headers, body }
}

const retryHeader = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }

export function refusalResponse(refusal: Refusal): ErrorResponse {
  const { status, reason, message, action, versions, fields, retryAfter } = refusal
  const content = { reason, message, action, versions, fields }
  return errorResponse(status, content, retryHeader(retryAfter))
}

export const unknownPath = errorResponse(404, {
  reason: 'UnknownPath',
  message: 'this path does not exist',
  action: 'Request /config/<pool>, with the name of a MachineConfigPool.',
})

export const wrongMethod = errorResponse(
  405,
  {
    reason: 'MethodNotAllowed',
    message: 'only GET and HEAD are allowed',
    action: 'Send the request with GET.',
  },
  { Allow: 'GET, HEAD' },
)

/** The log has the details. */
export const internalError = errorResponse(500, {
  reason: 'InternalError',
  message: 'the server failed to answer',
  action: 'Report the error in the log of the server.',
})

const accessActions = {
  401: 'Send the provisioning token of the pool: "Authorization: Bearer <token>". The pointer config contains it.',
  403: 'Send the request from an address that the provisioning token allows.',
  429: 'Wait as long as the header Retry-After demands.',
  503: 'Try again.',
} as const

const accessMessages = {
  401: 'the provisioning token is missing or not valid for this pool',
  403: 'the provisioning token is not valid for the address of this client',
  429: 'too many refused requests from this address',
  503: 'the provisioning token cannot be checked at the moment',
} as const

/** Says as little as possible: whether the pool exists is not for clients without a token. */
export function accessRefused(
  status: keyof typeof accessActions,
  reason: string,
  retryAfter?: number,
): ErrorResponse {
  const content = { reason, message: accessMessages[status], action: accessActions[status] }
  const challenge = status === 401 && { 'WWW-Authenticate': 'Bearer' }
  return errorResponse(status, content, { ...retryHeader(retryAfter), ...challenge })
}
