import { plain } from '@machinist/core/quoted'
import type { DisruptionAction } from '../../api/kinds/node-disruption-policy.ts'
import type { Differences } from '../differences/differences.ts'
import {
  crio,
  registriesConf,
  trustStore,
  userCaBundle,
} from '../../api/disruption-policy/defaults.ts'
import { changedUnits } from '../differences/units.ts'
import type { RequestedActions } from './requested.ts'
import { none, reboot } from './requested.ts'

type Class = 'none' | 'reload' | 'restart' | 'reboot'

const actionsOf: Readonly<Record<Class, readonly DisruptionAction[]>> = {
  none: [none],
  reload: [{ type: 'Reload', reload: { serviceName: crio } }],
  restart: [
    { type: 'Restart', restart: { serviceName: trustStore } },
    { type: 'Restart', restart: { serviceName: crio } },
  ],
  reboot: [reboot],
}

interface Table {
  readonly files: Readonly<Record<string, Class>>
  /** For files directly in the directory. */
  readonly directories: Readonly<Record<string, Class>>
}

const table412: Table = {
  files: {
    '/etc/kubernetes/kubelet-ca.crt': 'none',
    '/var/lib/kubelet/config.json': 'none',
    [registriesConf]: 'reload',
    '/etc/machine-config-daemon/no-reboot/containers-gpg.pub': 'reload',
    '/etc/containers/policy.json': 'reload',
  },
  directories: {},
}

const tables: Readonly<Record<'4.12' | '4.16', Table>> = {
  '4.12': table412,
  '4.16': {
    files: { ...table412.files, [userCaBundle]: 'restart' },
    directories: { '/etc/nmstate/openshift': 'none', '/etc/containers/registries.d': 'reload' },
  },
}

/** The actions that the built-in tables of releases without policies require. */
export function requestedByTable(
  differences: Differences,
  release: '4.12' | '4.16',
): RequestedActions[] {
  return Array.from(classified(differences, release), ({ as, rule, because }) => ({
    actions: actionsOf[as],
    rule,
    because,
  }))
}

/** Under these rules only the strongest action applies: a restart includes a reload. */
export function onlyStrongest(requested: readonly RequestedActions[]): RequestedActions[] {
  for (const strongest of ['Reboot', 'Restart', 'Reload'] as const) {
    const found = requested.filter(({ actions }) => actions.some(({ type }) => type === strongest))
    if (found.length > 0) return found
  }
  return [...requested]
}

interface Classified {
  readonly as: Class
  readonly rule: string
  readonly because: string
}

function* classified(differences: Differences, release: '4.12' | '4.16'): Iterable<Classified> {
  const rules = `the rules of ${release}`
  const { files, directories } = tables[release]
  for (const { path } of differences.files) {
    const directory = path.slice(0, path.lastIndexOf('/'))
    const as = Object.hasOwn(files, path)
      ? files[path]
      : Object.hasOwn(directories, directory)
        ? directories[directory]
        : undefined
    const rule = as ? `${rules} for ${plain(path)}` : `${rules} have no entry for ${plain(path)}`
    yield { as: as ?? 'reboot', rule, because: path }
  }
  for (const unit of changedUnits(differences.units, differences.dropins)) {
    yield { as: 'reboot', rule: `${rules} for units`, because: unit }
  }
  const users = [differences.keys ?? [], differences.passwords].flat().map(({ user }) => user)
  for (const user of new Set(users)) {
    yield { as: 'none', rule: `${rules} for SSH keys and passwords`, because: user }
  }
}
