import type { StatusCause } from '../../../status/status-error.ts'
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../../status/causes.ts'
import { labelProblems, nameProblems } from '../../../objects/names.ts'
import type { Fields } from '../../fields.ts'
import { items, membersOf, textOf } from '../../fields.ts'
import { portNameProblems, portProblems, protocols } from '../ports.ts'
import { tolerationProblems } from './pod-tolerations.ts'
import { mountProblems, volumeProblems } from './pod-volumes.ts'

/** Validates the spec of a pod or pod template. `at` is the path of the spec. */
export function podSpecProblems(spec: Fields, at: string): StatusCause[] {
  const regular = items(spec['containers'])
  const names = regular.map(({ name }) => textOf(name))
  const volumes = items(spec['volumes'])
  const mountable = new Set(volumes.map(({ name }) => textOf(name)))
  const init = { containers: items(spec['initContainers']), list: `${at}.initContainers` }
  return [
    ...volumeProblems(volumes, `${at}.volumes`),
    ...(regular.length === 0 ? [requiredValue(`${at}.containers`)] : []),
    ...containerProblems({ containers: regular, list: `${at}.containers` }, [], mountable),
    ...containerProblems(init, names, mountable),
    ...(spec['hostNetwork'] === true ? hostPortProblems(regular, `${at}.containers`) : []),
    ...choice(spec, 'restartPolicy', at, ['Always', 'OnFailure', 'Never']),
    ...choice(spec, 'dnsPolicy', at, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...labelProblems(`${at}.nodeSelector`, membersOf(spec['nodeSelector'])),
    ...objectName(spec, 'serviceAccountName', at),
    ...objectName(spec, 'nodeName', at),
    ...deadlineProblems(spec['activeDeadlineSeconds'], at),
    ...tolerationProblems(spec['tolerations'], `${at}.tolerations`),
  ]
}

function choice(
  spec: Fields,
  field: string,
  at: string,
  allowed: readonly string[],
): StatusCause[] {
  const value = textOf(spec[field])
  return allowed.includes(value) ? [] : [unsupportedValue(`${at}.${field}`, value, allowed)]
}

function objectName(spec: Fields, field: string, at: string): StatusCause[] {
  const name = textOf(spec[field])
  if (name === '') return []
  return nameProblems(name).map((problem) => invalidValue(`${at}.${field}`, name, problem))
}

const maxSeconds = 2 ** 31 - 1

function deadlineProblems(seconds: unknown, at: string): StatusCause[] {
  if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= maxSeconds)) return []
  const why = `must be between 1 and ${maxSeconds}, inclusive`
  return [invalidValue(`${at}.activeDeadlineSeconds`, seconds, why)]
}

function containerProblems(
  { containers, list }: { containers: readonly Fields[]; list: string },
  takenNames: readonly string[],
  mountable: ReadonlySet<string>,
): StatusCause[] {
  const taken = new Set(takenNames)
  return containers.flatMap((container, place) => {
    const at = `${list}[${place}]`
    const name = textOf(container['name'])
    const twice = name !== '' && taken.has(name)
    taken.add(name)
    return [
      ...(name === ''
        ? [requiredValue(`${at}.name`)]
        : nameProblems(name, 'label').map((problem) => invalidValue(`${at}.name`, name, problem))),
      ...(textOf(container['image']) === '' ? [requiredValue(`${at}.image`)] : []),
      ...choice(container, 'terminationMessagePolicy', at, ['File', 'FallbackToLogsOnError']),
      ...containerPorts(items(container['ports']), `${at}.ports`),
      ...mountProblems(container, mountable, `${at}.volumeMounts`),
      ...choice(container, 'imagePullPolicy', at, ['Always', 'IfNotPresent', 'Never']),
      ...(twice ? [duplicateValue(`${at}.name`, name)] : []),
    ]
  })
}

function containerPorts(ports: readonly Fields[], list: string): StatusCause[] {
  const names = ports.map(({ name }) => textOf(name))
  return ports.flatMap((port, place) => {
    const at = `${list}[${place}]`
    const name = names[place]!
    const twice = name !== '' && names.indexOf(name) < place
    return [
      ...(name === '' ? [] : portNameProblems(`${at}.name`, name)),
      ...(twice ? [duplicateValue(`${at}.name`, name)] : []),
      ...(port['containerPort']
        ? portProblems(`${at}.containerPort`, port['containerPort'])
        : [requiredValue(`${at}.containerPort`)]),
      ...(port['hostPort'] ? portProblems(`${at}.hostPort`, port['hostPort']) : []),
      ...choice(port, 'protocol', at, protocols),
    ]
  })
}

/** With hostNetwork, container ports are host ports. */
function hostPortProblems(containers: readonly Fields[], list: string): StatusCause[] {
  const why = 'must match `containerPort` when `hostNetwork` is true'
  return containers.flatMap((container, place) =>
    items(container['ports']).flatMap(({ hostPort, containerPort }, at) =>
      hostPort === containerPort
        ? []
        : [invalidValue(`${list}[${place}].ports[${at}].hostPort`, hostPort, why)],
    ),
  )
}

/** Whitespace around an image is invalid in a pod, but allowed in a template. */
export function imageProblems(spec: Fields): StatusCause[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    items(spec[list]).flatMap((container, place) => {
      const image = textOf(container['image'])
      if (image.trim() === image) return []
      const why = 'must not have leading or trailing whitespace'
      return [invalidValue(`spec.${list}[${place}].image`, image, why)]
    }),
  )
}
