/** Why nothing can be rendered. Waiting ends when another component has done its part; otherwise a user must act. */
export interface RenderBlock {
  readonly waiting: boolean
  readonly reason: string
  /** Names the object, and the field if there is one. */
  readonly message: string
}

export function degraded(reason: string, message: string): RenderBlock {
  return { waiting: false, reason, message }
}

export function waiting(reason: string, message: string): RenderBlock {
  return { waiting: true, reason, message }
}

/** The first few problems and the number of the others. */
export function someOf(problems: readonly string[], most = 5): string {
  const more = problems.length - most
  const first = problems.slice(0, most).join('; ')
  return more > 0 ? `${first}; and ${more} more` : first
}
