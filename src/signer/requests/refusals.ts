/** The checks of a request, in their order. A request that fails one is left to an administrator. */
export const checkNames = [
  'TooMany',
  'Unreadable',
  'Subject',
  'Usages',
  'AlternativeNames',
  'Requester',
  'TooOld',
  'FromTheFuture',
  'NotTheNewest',
  'NodeAlive',
  'NodeUnknown',
  'Addresses',
  'SharedAddresses',
  'Rights',
  'NotLet',
] as const

export type CheckName = (typeof checkNames)[number]

export interface Refusal {
  readonly check: CheckName
  /** The problem, for users. */
  readonly why: string
  /** No later change can make the request pass. */
  readonly isFinal: boolean
}

/** What an administrator can do besides approving the request. */
const remedies: Readonly<Record<CheckName, string>> = {
  TooMany: 'find the source of the requests and delete those that are not needed',
  Unreadable: 'restart the kubelet to send a new request',
  Subject: 'check who sent it',
  Usages: 'check who sent it',
  AlternativeNames: 'check who sent it',
  Requester: 'check who sent it',
  TooOld: 'the kubelet sends a new request by itself; if it does not, restart it',
  FromTheFuture: 'synchronize the clocks',
  NotTheNewest: 'nothing to do if the newer request is approved',
  NodeAlive: 'if the machine was replaced, delete the Node or wait until it is NotReady',
  NodeUnknown: 'check whether the kubelet has registered its Node',
  Addresses: 'correct the addresses of the Node, or the addresses that the kubelet requests',
  SharedAddresses: 'give each Node its own addresses',
  Rights: 'bind the ClusterRole that allows it',
  NotLet: 'give the signer the permissions in docs/certificate-requests.md',
}

/** The message of an event. `name` is the name of the request. */
export function explainRefusal({ check, why }: Refusal, name: string): string {
  return `${check}: ${why}; ${remedies[check]}. If the request is legitimate: kubectl certificate approve ${name}`
}
