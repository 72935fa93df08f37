import type { Schema, TypeOf } from '../schema/schema.ts'
import { array, object, oneOf, rule, string } from '../schema/schema.ts'
import { onlyWith } from '../schema/shapes.ts'

/** The node disruption policy of MachineConfiguration: the actions that follow a change of files, units and SSH keys. */

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
  object(
    description,
    { serviceName: unitName('Name of the systemd unit.') },
    { required: ['serviceName'] },
  )

const action = <const T extends string>(types: readonly T[]) =>
  object(
    'An action on the node.',
    {
      type: oneOf('Type of the action.', types),
      reload: service('The unit to reload, for type Reload.'),
      restart: service('The unit to restart, for type Restart.'),
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
  const actions = array(
    'The actions, in order. Reboot and None must be the only action.',
    action(types),
    {
      maxItems: 10,
      rules: [alone('Reboot'), alone('None')],
    },
  )
  const file = object(
    'The actions after a change of a file.',
    {
      path: string(
        'Path of the file or of a directory above it. May contain the wildcards *, ** and ?.',
      ),
      actions,
    },
    { required: ['path', 'actions'] },
  )
  const unit = object(
    'The actions after a change of a systemd unit.',
    { name: unitName('Name of the systemd unit.'), actions },
    { required: ['name', 'actions'] },
  )
  return object(description, {
    files: array('Policies for files.', file, { keys: ['path'], maxItems: most }),
    units: array('Policies for systemd units.', unit, { keys: ['name'], maxItems: most }),
    sshkey: object(
      'Policy for the SSH keys of the user core.',
      { actions },
      { required: ['actions'] },
    ),
  })
}

const userTypes = ['Reboot', 'Drain', 'Reload', 'Restart', 'DaemonReload', 'None'] as const

export const nodeDisruptionPolicy = policy(
  'The actions that nodes run after a change. An entry replaces the built-in entry for the same path or unit. A change without an entry reboots the node.',
  userTypes,
  50,
)

export const nodeDisruptionPolicyStatus = object('The node disruption policy in effect.', {
  clusterPolicies: policy(
    'The built-in policies, overridden by those of the spec. Daemons read this field.',
    [...userTypes, 'Special'],
    100,
  ),
})

/** The policy that a user sets. */
export interface NodeDisruptionPolicy extends TypeOf<typeof nodeDisruptionPolicy> {}

/** The policy that daemons read: built-in entries and entries of the user. Its actions may also be `Special`. */
export interface ClusterDisruptionPolicies extends NonNullable<
  TypeOf<typeof nodeDisruptionPolicyStatus>['clusterPolicies']
> {}

export type DisruptionAction = NonNullable<ClusterDisruptionPolicies['sshkey']>['actions'][number]
export type DisruptionActionType = DisruptionAction['type']
