/** What somebody wants to do. */
export type Attributes = ResourceAttributes | PathAttributes

export interface ResourceAttributes {
  readonly verb: string
  /** '' is the core group. */
  readonly group: string
  /** The plural. */
  readonly resource: string
  readonly subresource?: string
  readonly name?: string
  /** Absent or empty: across all namespaces, or a resource outside namespaces. */
  readonly namespace?: string
}

/** A request for something that is no resource, e.g. `/metrics`. */
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
