import type { FeatureGate } from '../../api/openshift-config.ts'
import { shown } from './shown.ts'

export type FeatureGates = Readonly<Record<string, boolean>>

/**
 * What FeatureGate `cluster` says about a release; nothing if it does not name any gates. The cluster works out what a set of
 * features means for each release; in the spec is only what a user chose by name.
 */
export function featureGatesOf(
  { spec, status }: Readonly<FeatureGate>,
  release: string | undefined,
): FeatureGates | string {
  const versions = status?.featureGates ?? []
  if (versions.length === 0) {
    const { enabled, disabled } = spec?.customNoUpgrade ?? {}
    return gatesOf(enabled ?? [], disabled ?? [])
  }
  const told = versions.length === 1 ? versions[0] : undefined
  const said = versions.find(({ version }) => version === release) ?? told
  if (said) return gatesOf(namesOf(said.enabled), namesOf(said.disabled))
  return `status.featureGates is about other versions than ${release ?? 'one that is known here'}`
}

const namesOf = (gates: readonly { readonly name: string }[] = []): unknown[] =>
  gates.map(({ name }) => name)

function gatesOf(enabled: readonly unknown[], disabled: readonly unknown[]): FeatureGates | string {
  const gates = new Map<string, boolean>()
  for (const [names, isOn] of [
    [disabled, false],
    [enabled, true],
  ] as const) {
    for (const name of names) {
      if (typeof name !== 'string' || !/^[A-Za-z]\w{0,127}$/.test(name)) {
        return `${shown(name)} is no name of a feature gate`
      }
      gates.set(name, isOn)
    }
  }
  return Object.fromEntries([...gates].sort(([a], [b]) => (a < b ? -1 : 1)))
}
