import type { Rotation } from './rotation-spec.ts'

/** Nodes that are not waited for: a person has said so for this CA, and for no other. */
export function excusedNodes(
  override: Rotation['override'],
  authority: string | undefined,
): readonly string[] {
  return override && override.authority === authority ? override.nodes : []
}
