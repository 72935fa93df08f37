import type { Rotation } from './rotation-spec.ts'

/** Nodes that the rotation does not wait for: spec.override names them, for this CA only. */
export function excusedNodes(
  override: Rotation['override'],
  authority: string | undefined,
): readonly string[] {
  return override && override.authority === authority ? override.nodes : []
}
