import type { ServiceActions } from '../../views/compare/facts.ts'

/** Pure: counts the actions in the journal of a sandbox. */
export function serviceActions(journal: string): ServiceActions {
  const actions = journal
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(line.indexOf(' ') + 1))
  return {
    daemonReloads: actions.filter((action) => action === 'daemon-reload').length,
    services: actions.filter((action) => /^(restart|reload) /.test(action)),
    reboots: actions.filter((action) => action.startsWith('reboot: ')).length,
  }
}
