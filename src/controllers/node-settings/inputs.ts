import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { ownSettingsAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { ownerOfKind } from '../../fleet/render/owner.ts'
import type { SharedCache } from '../render/caches.ts'
import { annotatedSuffix, isGeneratedName } from './names.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'
import type { TemplateCaches } from './templates.ts'
import { templateInputs } from './templates.ts'

/** The caches of this controller besides the objects; other controllers may share the informers. */
export interface NodeSettingsCaches extends TemplateCaches {
  readonly pools: SharedCache<MachineConfigPool>
}

/** There are few objects, and the result of one depends on the others: a relevant change enqueues all. */
export function nodeSettingsInputs<T extends NodeSettings, Context>(
  caches: NodeSettingsCaches,
  kind: SettingsKind<T, Context>,
): Input[] {
  const all = (): string[] => kind.objects.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: kind.resource.kind,
      informer: kind.objects,
      keys: (change) => [
        change.object.metadata.name,
        ...(isRelevantChange(change, relevantObject) ? all() : []),
      ],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) => (isRelevantChange(change, relevantPool) ? all() : []),
    }),
    ...templateInputs(
      caches,
      (role) => kind.base(role),
      (one) =>
        isGeneratedName(one.metadata.name, kind) ||
        ownerOfKind(one, kind.resource.kind) !== undefined,
      all,
    ),
    ...kind.inputs(all),
  ]
}

const relevantObject = (object: Readonly<NodeSettings>): unknown => [
  object.spec,
  annotatedSuffix(object) ?? null,
  object.metadata.annotations?.[ownSettingsAnnotations.unknownFields],
  object.metadata.deletionTimestamp,
]

const relevantPool = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.labels,
  spec.machineConfigSelector,
  spec.nodeSelector,
]
