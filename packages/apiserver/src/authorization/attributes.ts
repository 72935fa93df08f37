/** A request as the authorizer sees it. */
export type Attributes = ResourceAttributes | PathAttributes

export interface ResourceAttributes {
  readonly verb: string
  /** '' is the core group. */
  readonly group: string
  /** The plural. */
  readonly resource: string
  readonly subresource?: string
  readonly name?: string
  /** Absent or empty: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string
}

/** A request for a non-resource path such as `/metrics`. */
export interface PathAttributes {
  readonly verb: string
  readonly path: string
}

export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes
}

/** `pods`, or `pods/log`. */
export function resourcePath({ resource, subresource }: ResourceAttributes): string {
  return subresource ? `${resource}/${subresource}` : resource
}
