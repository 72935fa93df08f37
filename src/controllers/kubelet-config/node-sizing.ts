import { isObject } from '@machinist/core/encoding/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { without } from '../kubelet-defaults/kubelet-conf.ts'

/** The system-reserved resources of a node: set by the user, or computed by the node itself. */
export interface NodeSizing {
  /** Undefined if not set. */
  readonly isAuto: boolean | undefined
  readonly reserved: ReadonlyMap<string, string>
}

export const unsetSizing: NodeSizing = { isAuto: undefined, reserved: new Map() }

/** In the order of the file, with the defaults. */
const sizedResources = [
  ['memory', 'SYSTEM_RESERVED_MEMORY', '1Gi'],
  ['cpu', 'SYSTEM_RESERVED_CPU', '500m'],
  ['ephemeral-storage', 'SYSTEM_RESERVED_ES', '1Gi'],
] as const

/** Applies one object. Setting an amount disables automatic sizing. */
export function addSizing(
  before: NodeSizing,
  fragment: KubeletConf,
  autoSizing: boolean | null | undefined,
): NodeSizing {
  const { systemReserved } = fragment
  const reserved = new Map(systemReserved === null ? [] : before.reserved)
  let isSet = false
  for (const [resource] of sizedResources) {
    if (!isObject(systemReserved) || !Object.hasOwn(systemReserved, resource)) continue
    const amount = systemReserved[resource]
    // As in MCO, the empty string means the default.
    if (typeof amount !== 'string' || amount === '') reserved.delete(resource)
    else {
      reserved.set(resource, amount)
      isSet = true
    }
  }
  return { isAuto: autoSizing ?? (isSet ? false : before.isAuto), reserved }
}

/** The fragment without the resources that go into the sizing file; other resources stay. */
export function withoutSizing(fragment: KubeletConf): KubeletConf {
  const { systemReserved } = fragment
  if (!isObject(systemReserved)) return fragment
  const rest = sizedResources.reduce<KubeletConf>(
    (left, [resource]) => without(left, resource),
    systemReserved,
  )
  return Object.keys(rest).length > 0
    ? { ...fragment, systemReserved: rest }
    : without(fragment, 'systemReserved')
}

/** The content of the sizing file, which the kubelet unit turns into a flag; undefined if the file of the templates applies. */
export function sizingText(
  { isAuto, reserved }: NodeSizing,
  conf: KubeletConf,
): string | undefined {
  const { systemReserved } = conf
  const pid = isObject(systemReserved) ? systemReserved['pid'] : undefined
  if (isAuto === undefined && reserved.size === 0 && typeof pid !== 'string') return undefined
  const lines = [
    `NODE_SIZING_ENABLED=${isAuto === true}`,
    ...sizedResources.map(
      ([resource, name, otherwise]) => `${name}=${reserved.get(resource) ?? otherwise}`,
    ),
    // The flag replaces systemReserved of kubelet.conf, so it must include the PIDs.
    ...(typeof pid === 'string' ? [`SYSTEM_RESERVED_PID=${pid}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
