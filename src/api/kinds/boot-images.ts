import { array, object, oneOf, rule, string } from '../schema/schema.ts'
import { labelSelector, onlyWith } from '../schema/shapes.ts'

/** The fields of MachineConfiguration about boot images, the disk images that new machines start from. */

const selection = object(
  'Which objects of this kind get boot image updates.',
  {
    mode: oneOf(
      'All selects every object, None selects no object, Partial selects the objects that match partial.',
      ['All', 'Partial', 'None'],
    ),
    partial: object(
      'The selection for mode Partial.',
      { machineResourceSelector: labelSelector('Selects objects of this kind by their labels.') },
      { required: ['machineResourceSelector'] },
    ),
  },
  {
    required: ['mode'],
    rules: [onlyWith('partial', 'mode', 'Partial')],
  },
)

const machineManager = object(
  'A kind of object that creates machines.',
  {
    resource: oneOf('Resource name (plural) of the kind.', [
      'machinesets',
      'controlplanemachinesets',
    ]),
    apiGroup: oneOf('API group of the kind.', ['machine.openshift.io']),
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

export const managedBootImages = object(
  'The objects whose boot images are updated with the release.',
  {
    machineManagers: array(
      'The kinds of objects that create machines, with a selection for each.',
      machineManager,
      {
        keys: ['resource', 'apiGroup'],
        maxItems: 5,
      },
    ),
  },
)

const versions = {
  ocpVersion: string('OpenShift release that the boot images belong to, such as 4.18.2.', {
    minLength: 5,
    maxLength: 10,
    rules: [
      rule("self.matches('^[0-9]+\\\\.[0-9]+\\\\.[0-9]+$')", 'must be a version such as 4.18.2'),
    ],
  }),
  rhcosVersion: string('Version of Red Hat Enterprise Linux CoreOS in the boot images.', {
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
  'Version of the boot images, as entered by the administrator.',
  {
    mode: oneOf('Which version field is set: ocpVersion or rhcosVersion.', [
      'OCPVersion',
      'RHCOSVersion',
    ]),
    ...versions,
  },
  {
    required: ['mode'],
    rules: [
      onlyWith('ocpVersion', 'mode', 'OCPVersion'),
      onlyWith('rhcosVersion', 'mode', 'RHCOSVersion'),
    ],
  },
)

const automatic = object(
  'Version of the boot images, as observed by the operator. At least one field is set.',
  versions,
  {
    minProperties: 1,
  },
)

export const bootImageSkewEnforcement = object(
  'Whether outdated boot images block cluster upgrades.',
  {
    mode: oneOf(
      'Manual: the administrator maintains the boot image version in manual. None: boot images never block an upgrade.',
      ['Manual', 'None'],
    ),
    manual,
  },
  { required: ['mode'], rules: [onlyWith('manual', 'mode', 'Manual')] },
)

export const bootImageSkewEnforcementStatus = object(
  'Boot image version that the operator compares with the release.',
  {
    mode: oneOf(
      'Automatic: the operator tracks the boot image version. Manual: the administrator maintains it. None: it is not checked.',
      ['Automatic', 'Manual', 'None'],
    ),
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

/** Automatic tracking requires that the operator manages the boot images of all machine sets. */
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
