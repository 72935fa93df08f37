/** Limits against slow, broken and hostile clients. Times are in milliseconds. */
export interface HttpLimits {
  /** Size of the request line and all headers. */
  readonly maxHeaderBytes: number
  readonly handshakeMs: number
  /** From the connection, or the end of the previous response, until all headers have arrived. */
  readonly headersMs: number
  /** Until the whole request has arrived. */
  readonly requestMs: number
  /** How long a connection may be idle between two requests. */
  readonly idleMs: number
  /** How long a client may take to read one chunk of a response. */
  readonly stallMs: number
  /** Bytes of a response that are encrypted ahead of the reader, so that slow readers use little memory. */
  readonly chunkBytes: number
  /** Unencrypted bytes are not copied: a larger chunk needs no more memory. */
  readonly plainChunkBytes: number
  /** With more connections, the one that has been idle for the longest time is closed. */
  readonly maxConnections: number
  readonly maxRequestsPerConnection: number
  /** How often the times are checked. */
  readonly checkMs: number
  /** How long responses in progress may continue after the stop. */
  readonly stopMs: number
}

export const httpLimits: HttpLimits = {
  maxHeaderBytes: 16 * 1024,
  handshakeMs: 30_000,
  headersMs: 10_000,
  requestMs: 20_000,
  idleMs: 30_000,
  stallMs: 30_000,
  chunkBytes: 64 * 1024,
  plainChunkBytes: 256 * 1024,
  maxConnections: 4096,
  maxRequestsPerConnection: 100,
  checkMs: 2000,
  stopMs: 10_000,
}
