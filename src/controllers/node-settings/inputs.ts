import { ownSettingsAnnotations } from '../../api/annotations.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import { isNews } from '../../kube/controller/news.ts'
import type { Change } from '../../kube/informer/change.ts'
import { ownerOfKind } from '../generated/owner.ts'
import type { NodeSettingsCaches } from './gather.ts'
import { saidOfTemplates } from './gather.ts'
import { annotatedSuffix, isOurName } from './names.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** There are few objects, and what one comes to depends on the others: whatever matters to one wakes all. */
export function inputsOf<T extends NodeSettings, World>(
  kind: SettingsKind<T, World>,
  { pools, machineConfigs, controllerConfigs }: NodeSettingsCaches,
): Input[] {
  const all = (): string[] => kind.objects.list().map(({ metadata }) => metadata.name)
  const bases = new Set(Object.values(builtIn).map((role) => kind.base(role)))
  const isOfInterest = (one: Readonly<MachineConfig>): boolean =>
    bases.has(one.metadata.name) ||
    isOurName(one.metadata.name, kind) ||
    ownerOfKind(one, kind.resource.kind) !== undefined
  return [
    input({
      resource: kind.resource.kind,
      informer: kind.objects,
      keys: (change) => [change.object.metadata.name, ...(isNews(change, ofObject) ? all() : [])],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => (isNews(change, ofPool) ? all() : []),
    }),
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isNews(change, saidOfTemplates) ? all() : []),
    }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: (change) => (versionsOf(change).some(isOfInterest) ? all() : []),
    }),
    ...kind.inputs(all),
  ]
}

const versionsOf = <T extends KubeObject>(change: Change<T>): Readonly<T>[] =>
  change.type === 'updated' ? [change.before, change.object] : [change.object]

const ofObject = (object: Readonly<NodeSettings>): unknown => [
  object.spec,
  annotatedSuffix(object) ?? null,
  object.metadata.annotations?.[ownSettingsAnnotations.unknownFields],
  object.metadata.deletionTimestamp,
]

const ofPool = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.labels,
  spec.machineConfigSelector,
  spec.nodeSelector,
]
