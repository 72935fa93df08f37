/** An action that was requested of a simulated machine. */
export type MachineAction =
  | { readonly type: 'daemon-reload' }
  | { readonly type: 'reload' | 'restart'; readonly unit: string }
  | { readonly type: 'stage'; readonly deployment: string }
  | { readonly type: 'pull'; readonly image: string }
  | { readonly type: 'reboot'; readonly reason: string }
  | { readonly type: 'boot'; readonly bootId: string }

export type RecordAction = (action: MachineAction) => Promise<void>

/** Counts the recorded restarts of a unit. */
export type CountRestarts = (unit: string) => Promise<number>

/** The action as one line of text. */
export function describeAction(action: MachineAction): string {
  switch (action.type) {
    case 'daemon-reload':
      return action.type
    case 'reload':
    case 'restart':
      return `${action.type} ${action.unit}`
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
