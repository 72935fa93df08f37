import { ownSettingsAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import { ownerOfKind } from '../../fleet/render/owner.ts'
import type { NodeSettingsCaches } from './gather.ts'
import { annotatedSuffix, isOurName } from './names.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'
import { templateInputs } from './templates.ts'

/** There are few objects, and what one comes to depends on the others: whatever matters to one wakes all. */
export function inputsOf<T extends NodeSettings, World>(
  kind: SettingsKind<T, World>,
  caches: NodeSettingsCaches,
): Input[] {
  const all = (): string[] => kind.objects.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: kind.resource.kind,
      informer: kind.objects,
      keys: (change) => [change.object.metadata.name, ...(isNews(change, ofObject) ? all() : [])],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) => (isNews(change, ofPool) ? all() : []),
    }),
    ...templateInputs(
      caches,
      (role) => kind.base(role),
      (one) =>
        isOurName(one.metadata.name, kind) || ownerOfKind(one, kind.resource.kind) !== undefined,
      all,
    ),
    ...kind.inputs(all),
  ]
}

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
