import type { FeatureGate } from '../../api/openshift-config.ts'
import { describeValue } from './describe-value.ts'

export type FeatureGates = Readonly<Record<string, boolean>>

/**
 * The feature gates of a release according to FeatureGate `cluster`, or a problem. The status lists the gates of a feature set
 * per release; the spec only has gates that a user sets by name.
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
  const only = versions.length === 1 ? versions[0] : undefined
  const found = versions.find(({ version }) => version === release) ?? only
  if (found) return gatesOf(namesOf(found.enabled), namesOf(found.disabled))
  return `status.featureGates has no entry for ${release === undefined ? 'the release of the cluster, which is unknown' : `release ${release}`}`
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
        return `${describeValue(name)} is not a valid feature gate name`
      }
      gates.set(name, isOn)
    }
  }
  return Object.fromEntries([...gates].sort(([a], [b]) => (a < b ? -1 : 1)))
}
