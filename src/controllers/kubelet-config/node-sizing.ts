import { isObject } from '@machinist/core/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { without } from '../kubelet-defaults/kubelet-conf.ts'

/** What is kept from pods on a node: as told, or as the node itself works it out. */
export interface NodeSizing {
  /** Undefined: nobody said. */
  readonly isAuto: boolean | undefined
  readonly reserved: ReadonlyMap<string, string>
}

export const nobodySaid: NodeSizing = { isAuto: undefined, reserved: new Map() }

/** In the order of the file, with what is kept where nobody says more. */
const sized = [
  ['memory', 'SYSTEM_RESERVED_MEMORY', '1Gi'],
  ['cpu', 'SYSTEM_RESERVED_CPU', '500m'],
  ['ephemeral-storage', 'SYSTEM_RESERVED_ES', '1Gi'],
] as const

/** What one object adds. Who names an amount does not want the node to choose. */
export function addSizing(
  before: NodeSizing,
  fragment: KubeletConf,
  autoSizing: boolean | null | undefined,
): NodeSizing {
  const { systemReserved } = fragment
  const reserved = new Map(systemReserved === null ? [] : before.reserved)
  let isTold = false
  for (const [resource] of sized) {
    if (!isObject(systemReserved) || !Object.hasOwn(systemReserved, resource)) continue
    const amount = systemReserved[resource]
    // As in the original, the empty text stands for the default.
    if (typeof amount !== 'string' || amount === '') reserved.delete(resource)
    else {
      reserved.set(resource, amount)
      isTold = true
    }
  }
  return { isAuto: autoSizing ?? (isTold ? false : before.isAuto), reserved }
}

/** The fragment without what goes to the file of its own; other resources stay. */
export function withoutSizing(fragment: KubeletConf): KubeletConf {
  const { systemReserved } = fragment
  if (!isObject(systemReserved)) return fragment
  const rest = sized.reduce<KubeletConf>(
    (left, [resource]) => without(left, resource),
    systemReserved,
  )
  return Object.keys(rest).length > 0
    ? { ...fragment, systemReserved: rest }
    : without(fragment, 'systemReserved')
}

/** The file's text; undefined where the one from the templates will do. The kubelet's unit makes a flag of it. */
export function sizingText(
  { isAuto, reserved }: NodeSizing,
  conf: KubeletConf,
): string | undefined {
  const { systemReserved } = conf
  const pid = isObject(systemReserved) ? systemReserved['pid'] : undefined
  if (isAuto === undefined && reserved.size === 0 && typeof pid !== 'string') return undefined
  const lines = [
    `NODE_SIZING_ENABLED=${isAuto === true}`,
    ...sized.map(([resource, name, otherwise]) => `${name}=${reserved.get(resource) ?? otherwise}`),
    // The flag takes the place of all that kubelet.conf says, so this has to be in it, too.
    ...(typeof pid === 'string' ? [`SYSTEM_RESERVED_PID=${pid}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
