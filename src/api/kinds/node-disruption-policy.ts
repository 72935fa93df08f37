import type { Schema, TypeOf } from '../schema/schema.ts'
import { array, object, oneOf, rule, string } from '../schema/schema.ts'
import { onlyWith } from '../schema/shapes.ts'

/** What changes of files, units and keys do to a node: the part of MachineConfiguration that users know best. */

const unitTypes =
  'service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope'

const unitName = (description: string): Schema<string> =>
  string(description, {
    maxLength: 255,
    rules: [
      rule(
        `self.matches('\\\\.(${unitTypes})$')`,
        'must end in a systemd unit type: .service, .socket, .device, .mount, .automount, .swap, .target, .path, .timer, .snapshot, .slice or .scope',
      ),
      rule(
        "self.matches('^[a-zA-Z0-9:._\\\\\\\\-]+\\\\..')",
        "must have a name before the unit type, of letters, digits, ':', '-', '_', '.' and '\\'",
      ),
    ],
  })

const service = (description: string) =>
  object(description, { serviceName: unitName('The unit.') }, { required: ['serviceName'] })

const action = <const T extends string>(types: readonly T[]) =>
  object(
    'Something to do on the node.',
    {
      type: oneOf('What to do.', types),
      reload: service('What to reload.'),
      restart: service('What to restart.'),
    },
    {
      required: ['type'],
      rules: [onlyWith('reload', 'type', 'Reload'), onlyWith('restart', 'type', 'Restart')],
    },
  )

const alone = (type: string) =>
  rule(
    `size(self) == 1 || self.all(action, action.type != '${type}')`,
    `${type} must be the only action`,
  )

const policy = <const T extends string>(description: string, types: readonly T[], most: number) => {
  const actions = array('What to do, in order.', action(types), {
    maxItems: 10,
    rules: [alone('Reboot'), alone('None')],
  })
  const file = object(
    'What to do when a file changes.',
    { path: string('The file, or a directory above it.'), actions },
    { required: ['path', 'actions'] },
  )
  const unit = object(
    'What to do when a systemd unit changes.',
    { name: unitName('The unit.'), actions },
    { required: ['name', 'actions'] },
  )
  return object(description, {
    files: array('For files.', file, { keys: ['path'], maxItems: most }),
    units: array('For systemd units.', unit, { keys: ['name'], maxItems: most }),
    sshkey: object('For the keys of the user core.', { actions }, { required: ['actions'] }),
  })
}

const userTypes = ['Reboot', 'Drain', 'Reload', 'Restart', 'DaemonReload', 'None'] as const

export const nodeDisruptionPolicy = policy(
  'What changes do to a node. An entry replaces the built-in one for the same path or unit.',
  userTypes,
  50,
)

export const nodeDisruptionPolicyStatus = object('The policy in force.', {
  clusterPolicies: policy(
    'The built-in policies with those of the spec laid over them. Daemons read this.',
    [...userTypes, 'Special'],
    100,
  ),
})

/** As a user writes it. */
export interface NodeDisruptionPolicy extends TypeOf<typeof nodeDisruptionPolicy> {}

/** As daemons read it: built-in and user's entries together; its actions may also be `Special`. */
export interface ClusterDisruptionPolicies extends NonNullable<
  TypeOf<typeof nodeDisruptionPolicyStatus>['clusterPolicies']
> {}

export type DisruptionAction = NonNullable<ClusterDisruptionPolicies['sshkey']>['actions'][number]
export type DisruptionActionType = DisruptionAction['type']
