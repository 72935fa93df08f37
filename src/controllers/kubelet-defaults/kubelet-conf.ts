import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { fileIn } from '../generated/base-file.ts'

/** A KubeletConfiguration (kubelet.config.k8s.io/v1beta1), or a part of one, as JSON. */
export type KubeletConf = Readonly<Record<string, unknown>>

export const kubeletApiVersion = 'kubelet.config.k8s.io/v1beta1'
export const kubeletKind = 'KubeletConfiguration'

/** The kubelet.conf of a MachineConfig; undefined if it has no such file. Throws InvalidInput if it is unreadable. */
export function kubeletConfIn(machineConfig: Readonly<MachineConfig>): KubeletConf | undefined {
  const text = fileIn(machineConfig, nodePaths.kubeletConf)
  if (text === undefined) return undefined
  const where = `${nodePaths.kubeletConf} in MachineConfig ${machineConfig.metadata.name}`
  const value = parseYaml(text, where)
  if (!isObject(value)) throw new InvalidInput(`${where} is not a ${kubeletKind}`)
  return value
}

/** The file content; deterministic, so that equal configurations have equal bytes. */
export function kubeletConfText(conf: KubeletConf): string {
  return toYaml(sorted({ ...conf, apiVersion: kubeletApiVersion, kind: kubeletKind }))
}

/** The configuration without one field; the same object if it is not set. */
export function without(conf: KubeletConf, field: string): KubeletConf {
  if (!Object.hasOwn(conf, field)) return conf
  return Object.fromEntries(Object.entries(conf).filter(([key]) => key !== field))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    sorted(member),
  ])
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
