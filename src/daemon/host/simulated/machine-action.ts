/** What was asked of a machine that cannot do it. */
export type MachineAction =
  | { readonly do: 'daemon-reload' }
  | { readonly do: 'reload' | 'restart'; readonly unit: string }
  | { readonly do: 'stage'; readonly deployment: string }
  | { readonly do: 'pull'; readonly image: string }
  | { readonly do: 'reboot'; readonly reason: string }
  | { readonly do: 'boot'; readonly bootId: string }

/** Where that is noted. */
export type NoteAction = (action: MachineAction) => Promise<void>

/** How often a unit was restarted, from what was noted. */
export type Restarts = (unit: string) => Promise<number>

/** On one line, for people. */
export function inWords(action: MachineAction): string {
  switch (action.do) {
    case 'daemon-reload':
      return action.do
    case 'reload':
    case 'restart':
      return `${action.do} ${action.unit}`
    case 'stage':
      return `stage ${action.deployment}`
    case 'pull':
      return `pull ${action.image}`
    case 'reboot':
      return `reboot: ${action.reason.replaceAll(/\s+/g, ' ')}`
    case 'boot':
      return `boot ${action.bootId}`
  }
}
