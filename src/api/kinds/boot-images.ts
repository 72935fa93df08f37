import { array, object, oneOf, rule, string } from '../schema/schema.ts'
import { labelSelector, onlyWith } from '../schema/shapes.ts'

/** Boot images: the part of MachineConfiguration about the images that new machines start from. */

const selection = object(
  'Which of them.',
  {
    mode: oneOf('All, None, or those that partial selects.', ['All', 'Partial', 'None']),
    partial: object(
      'A selection.',
      { machineResourceSelector: labelSelector('Selects them by label.') },
      { required: ['machineResourceSelector'] },
    ),
  },
  {
    required: ['mode'],
    rules: [onlyWith('partial', 'mode', 'Partial')],
  },
)

const machineManager = object(
  'A kind of objects that make machines.',
  {
    resource: oneOf('The plural name of the kind.', ['machinesets', 'controlplanemachinesets']),
    apiGroup: oneOf('Its API group.', ['machine.openshift.io']),
    selection,
  },
  {
    required: ['resource', 'apiGroup', 'selection'],
    rules: [
      rule(
        "self.resource != 'controlplanemachinesets' || self.selection.mode == 'All' || self.selection.mode == 'None'",
        'controlplanemachinesets can only be selected with All or None',
      ),
    ],
  },
)

export const managedBootImages = object('Whose boot images are kept up to date.', {
  machineManagers: array('Kinds of objects that make machines.', machineManager, {
    keys: ['resource', 'apiGroup'],
    maxItems: 5,
  }),
})

const versions = {
  ocpVersion: string('The release the boot images came from.', {
    minLength: 5,
    maxLength: 10,
    rules: [
      rule("self.matches('^[0-9]+\\\\.[0-9]+\\\\.[0-9]+$')", 'must be a version such as 4.18.2'),
    ],
  }),
  rhcosVersion: string('The version of the operating system in them.', {
    minLength: 14,
    maxLength: 21,
    rules: [
      rule(
        "self.matches('^[0-9]+\\\\.[0-9]+\\\\.([0-9]{8}|[0-9]{12})-[0-9]+$')",
        'must be major.minor.date-build, the date as YYYYMMDD or YYYYMMDDHHmm',
      ),
    ],
  }),
}

const manual = object(
  'What an administrator says about the boot images.',
  { mode: oneOf('Which version is given.', ['OCPVersion', 'RHCOSVersion']), ...versions },
  {
    required: ['mode'],
    rules: [
      onlyWith('ocpVersion', 'mode', 'OCPVersion'),
      onlyWith('rhcosVersion', 'mode', 'RHCOSVersion'),
    ],
  },
)

const automatic = object('What the operator found out: at least one of the two.', versions, {
  minProperties: 1,
})

export const bootImageSkewEnforcement = object(
  'Whether old boot images hold up upgrades.',
  { mode: oneOf('Who keeps track of their age.', ['Manual', 'None']), manual },
  { required: ['mode'], rules: [onlyWith('manual', 'mode', 'Manual')] },
)

export const bootImageSkewEnforcementStatus = object(
  'What is known about the age of the boot images.',
  {
    mode: oneOf('Who keeps track of their age.', ['Automatic', 'Manual', 'None']),
    automatic,
    manual,
  },
  {
    required: ['mode'],
    rules: [onlyWith('automatic', 'mode', 'Automatic'), onlyWith('manual', 'mode', 'Manual')],
  },
)

const automaticMode =
  'self.?status.bootImageSkewEnforcementStatus.mode.orValue("") == \'Automatic\''
const machineSets = "m.resource == 'machinesets' && m.apiGroup == 'machine.openshift.io'"
const specManagers = 'self.spec.managedBootImages.machineManagers'

/** Automatic tracking only works when the operator manages the boot images of all machine sets. */
export const bootImageRules = [
  rule(
    `${automaticMode} ? self.?spec.managedBootImages.hasValue() || self.?status.managedBootImagesStatus.hasValue() : true`,
    'Automatic skew enforcement needs managed boot images',
  ),
  rule(
    `${automaticMode} ? !(self.?spec.managedBootImages.machineManagers.hasValue()) || size(${specManagers}) > 0 : true`,
    'Automatic skew enforcement needs managedBootImages.machineManagers not to be empty',
  ),
  rule(
    `${automaticMode} ? !(self.?spec.managedBootImages.machineManagers.hasValue()) || !${specManagers}.exists(m, ${machineSets}) || ${specManagers}.exists(m, ${machineSets} && m.selection.mode == 'All') : true`,
    'Automatic skew enforcement needs machinesets to be selected with All in the spec',
  ),
  rule(
    `${automaticMode} ? !(self.?status.managedBootImagesStatus.machineManagers.hasValue()) || self.status.managedBootImagesStatus.machineManagers.exists(m, m.selection.mode == 'All' && ${machineSets}) : true`,
    'Automatic skew enforcement needs machinesets to be selected with All in the status',
  ),
]
